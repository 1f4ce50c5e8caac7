package io.rdma4j.net.loop;

/**
 * Who works above the devices of a loop and has its turn in each round, as a RoCE port does. All methods but {@link #isHeldBack} are called by the
 * owner of the loop.
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
     * An error that nobody has foreseen was thrown in the loop, here or elsewhere; what it has left behind is unknown.
     *
     * @param error what was thrown
     */
    void breakDown(RuntimeException error);
}
