// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

/**
 * A component above the devices of a loop, such as a RoCE port, that runs in each round. The loop's owner calls all
 * methods, unless their description names another thread.
 */
public interface LoopClient {
    /**
     * Checks the doorbells of the client, and sends the requests that are ready. Allocates nothing in steady state.
     *
     * @param nowNs time of the run, nanoseconds of the loop's clock
     * @return true if anything was sent
     */
    boolean work(long nowNs);

    /** {@return true if the client has more work that it can do at once, in its next round} */
    boolean hasMore();

    /**
     * {@return true if {@link #work} would find nothing to do} The loop calls this in a round without doorbell, packet
     * and due deadline, and then skips idle clients.
     */
    default boolean isIdle() {
        return !hasMore() && !isHeldBack();
    }

    /** {@return true if a packet waits for a device that did not accept it} Any thread; the result is a hint. */
    boolean isHeldBack();

    /**
     * Announces that a thread that runs the loop is about to sleep. A client whose work does not arrive through the
     * loop publishes this, and then checks once more for work. Any thread; called before each sleep, and followed by
     * {@link #afterSleep}.
     *
     * @param sleeper number of the thread: {@link NetLoop#LEADER} or {@link NetLoop#DIRECT_SLEEPER}
     * @return false if there is work, so that the thread must not sleep
     */
    default boolean beforeSleep(int sleeper) {
        return true;
    }

    /**
     * Announces that the thread has slept, or was not allowed to sleep, and looks for work next. Any thread.
     *
     * @param sleeper number that was passed to {@link #beforeSleep}
     */
    default void afterSleep(int sleeper) {}

    /**
     * {@return true if an application thread has polled for this client's work without success since the last call}
     * Called by the leading loop thread.
     */
    default boolean isAwaited() {
        return false;
    }

    /**
     * {@return true if the client does not work without {@code device}} Called after the driver of the device has
     * thrown.
     *
     * @param device of this loop
     */
    default boolean uses(Object device) {
        return true;
    }

    /**
     * Takes the client out of service after an error. The error was thrown by the client's work, by a device that it
     * {@link #uses}, or by state that all clients share. The state behind the error is unknown. This method must not
     * throw.
     *
     * @param error any exception or {@link Error}: an access to unmapped memory throws {@link InternalError}
     */
    void breakDown(Throwable error);
}
