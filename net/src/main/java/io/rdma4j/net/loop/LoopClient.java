package io.rdma4j.net.loop;

import io.rdma4j.net.NetDevice;

/**
 * Who works above the devices of a loop and has its turn in each round, as a RoCE port does. Methods are called by the owner of the loop if they say
 * nothing else.
 */
public interface LoopClient {
    /**
     * Looks at the doorbells of the client, and sends what is ready. Allocates nothing in steady state.
     *
     * @param nowNs when the visit to the loop began
     * @return true if anything was sent
     */
    boolean work(long nowNs);

    /** {@return true if it could go on at once, and only its turn was over} */
    boolean hasMore();

    /**
     * {@return true if {@link #work} would find nothing to do} Asked in a visit that has found neither a doorbell rung, nor a packet, nor a deadline: an idle client
     * has no turn then.
     */
    default boolean isIdle() {
        return !hasMore() && !isHeldBack();
    }

    /** {@return true if something waits for a device that takes nothing now; any thread may ask and gets a hint} */
    boolean isHeldBack();

    /**
     * A thread that works for the loop is about to sleep. A client whose work does not come through the loop publishes that, and then looks for work once
     * more. Any thread; called again before each sleep, then {@link #afterSleep}.
     *
     * @param sleeper number of the thread among those that may sleep at a time: {@link NetLoop#WATCHER} or {@link NetLoop#DIRECT_SLEEPER}
     * @return false if there is work, so that the thread must not sleep
     */
    default boolean beforeSleep(int sleeper) {
        return true;
    }

    /**
     * The thread has slept, or was not allowed to, and looks for work next. Any thread.
     *
     * @param sleeper as before
     */
    default void afterSleep(int sleeper) {}

    /** {@return true if somebody has polled in vain for this client's work since the last call} Called by the thread that leads the watchers. */
    default boolean isAwaited() {
        return false;
    }

    /**
     * {@return true if the client does not work without a device} Asked when the driver of that device has thrown.
     *
     * @param device one that the loop drives
     */
    default boolean uses(NetDevice device) {
        return true;
    }

    /**
     * The client's work has thrown, or a device that it {@link #uses}, or a part of the host that all clients share. The state that the error has
     * left behind is unknown: the client goes out of service. It must not throw.
     *
     * @param error any exception or {@link Error}: an access to memory that is gone throws {@link InternalError}
     */
    void breakDown(Throwable error);
}
