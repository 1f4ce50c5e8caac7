package io.rdma4j.net;

/** The loop that polls, as the polling contexts of a device see it ({@code softnet_data} with its {@code poll_list}). */
public interface PollLoop {
    /**
     * It polls {@code napi} from now on; any thread.
     *
     * @param napi a receiver that the loop drives, or is to drive
     */
    void add(Napi napi);

    /**
     * It does so no more; any thread, while nobody is in the loop.
     *
     * @param napi a receiver that the loop drives, or is to drive
     */
    void remove(Napi napi);

    /** {@return when the visit to the loop began, nanoseconds of its clock; by the owner} */
    long nowNs();

    /** {@return the backlogs of its workers} */
    Softnet softnet();

    /**
     * {@code napi} wants to be polled soon ({@code raise_softirq}); any thread.
     *
     * @param napi a receiver that the loop drives, or is to drive
     */
    void raise(Napi napi);

    /**
     * {@code napi} wants to be polled at {@code timeNs} of the clock, or before; by the owner.
     *
     * @param napi a receiver that the loop drives, or is to drive
     * @param timeNs of the loop's clock
     */
    void pollAt(Napi napi, long timeNs);
}
