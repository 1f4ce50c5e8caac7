package io.rdma4j.verbs.spi;

/**
 * Work for a device that does not come through its verbs, such as doorbells in memory that another process writes. The thread that drives the device
 * looks at it in each turn, so that no thread has to be woken while one drives. See {@link ContextOps#addPollSource}.
 *
 * <p>Before a thread stops to look at the source it calls {@link #beforeSleep}, and then {@link #afterSleep}. Two such threads may sleep at a time; each
 * has a number of its own. While at least one of them sleeps, whoever brings work calls {@link PollRegistration#wake}.
 */
public interface PollSource {
    /** {@return true if {@link #poll} would find something} By the thread that drives the device; cheap, does not block, does not allocate. */
    boolean isPending();

    /** Takes what is there. By the thread that drives the device; bounded, does not block, does not allocate. */
    void poll();

    /**
     * A thread is about to sleep. The source publishes that, and then looks for work once more: the order of the two must be that of the program.
     *
     * @param sleeper number of the thread, 0 to 31
     * @return false if there is work, so that the thread must not sleep; {@link #afterSleep} follows in either case
     */
    boolean beforeSleep(int sleeper);

    /**
     * The thread is back, and looks at the source next.
     *
     * @param sleeper as before
     */
    void afterSleep(int sleeper);

    /**
     * {@return true if somebody has polled in vain for what the device does with this work since the last call} Then a thread that finds nothing to do goes on
     * looking for some milliseconds. By the thread that would sleep.
     */
    boolean isAwaited();
}
