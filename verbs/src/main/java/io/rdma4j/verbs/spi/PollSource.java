// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

/**
 * Work for a device that does not arrive through its verbs, such as doorbells in memory that another process writes.
 * The thread that drives the device polls the source in each run, so no thread needs to be woken meanwhile. See
 * {@link ContextOps#addPollSource}.
 *
 * <p>Before a thread stops polling the source it calls {@link #beforeSleep}, and afterwards {@link #afterSleep}. Two
 * such threads can sleep at the same time, with different numbers. While at least one of them sleeps, the producer of
 * work calls {@link PollRegistration#wake}.
 */
public interface PollSource {
    /**
     * {@return true if {@link #poll} would find work} Called by the thread that drives the device; cheap, must neither
     * block nor allocate.
     */
    boolean isPending();

    /** Does the pending work. Called by the thread that drives the device; bounded, must neither block nor allocate. */
    void poll();

    /**
     * Called by a thread before it sleeps. The source publishes the sleeper first and then checks for work again; this
     * order must hold for other threads and processes.
     *
     * @param sleeper number of the thread, 0 to 31
     * @return false if there is work, so that the thread must not sleep; {@link #afterSleep} follows in either case
     */
    boolean beforeSleep(int sleeper);

    /**
     * Called by a thread after its sleep, before it polls the source.
     *
     * @param sleeper number of {@link #beforeSleep}
     */
    void afterSleep(int sleeper);

    /**
     * {@return true if since the last call an application polled without success for a result of this work} Then a
     * thread that finds no work continues to poll for some milliseconds. Called by the thread that would sleep.
     */
    boolean isAwaited();
}
