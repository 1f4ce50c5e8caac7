// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

/** The polling loop as the polling contexts of a device need it ({@code softnet_data} with its {@code poll_list}). */
public interface PollLoop {
    /**
     * Adds a polling context. Any thread may call it.
     *
     * @param napi the context
     * @return number of the context in this loop, from 0
     */
    int add(Napi napi);

    /**
     * Removes a polling context. Called by the owner.
     *
     * @param napi the context
     */
    void remove(Napi napi);

    /**
     * Runs {@code action} while no other thread runs the loop. Waits until the present run has ended, unless the caller
     * is the owner. Any thread may call it.
     *
     * @param action short, because packets wait meanwhile
     */
    void exclusively(Runnable action);

    /** Notes that a device has packets to send when the loop lets devices send. Called by the owner. */
    void expectFlush();

    /** {@return start time of the present run of the loop, nanoseconds of its clock} Called by the owner. */
    long nowNs();

    /** {@return the backlogs of its workers} */
    Softnet softnet();

    /**
     * Schedules a poll of {@code napi} ({@code raise_softirq}). Any thread may call it.
     *
     * @param napi the context
     * @param number of the context in this loop
     */
    void raise(Napi napi, int number);

    /**
     * Admits a context whose packets may not be announced from now on. Any thread may call it.
     *
     * @param number of the context in this loop
     */
    void enabled(int number);

    /**
     * Schedules a poll of {@code napi} at {@code timeNs} of the clock or earlier. Called by the owner.
     *
     * @param napi the context
     * @param timeNs time of the loop's clock, ns
     */
    void pollAt(Napi napi, long timeNs);
}
