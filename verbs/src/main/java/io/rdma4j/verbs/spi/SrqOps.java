package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SrqAttributes;

/** A shared receive queue. Any thread may call. */
public interface SrqOps extends AutoCloseable {
    /** {@return what XRC senders name it by: 24 bits; not asked of others} */
    int number();

    /** {@return the sizes that it got, and the limit as long as it is armed} Answers to {@code ibv_query_srq}. */
    SrqAttributes query();

    /**
     * {@code ibv_modify_srq} with {@code IBV_SRQ_LIMIT}.
     *
     * @param limit within the queue's size; 0 disarms
     */
    void armLimit(int limit);

    /**
     * {@code ibv_modify_srq} with {@code IBV_SRQ_MAX_WR}; called only if the device has
     * {@link io.rdma4j.verbs.DeviceCapability#SRQ_RESIZE}.
     *
     * @param maxWr requests it must hold at least, within the device's limit and not below the armed one
     * @throws RdmaException EINVAL if more requests wait
     */
    default void resize(int maxWr) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not resize shared receive queues");
    }

    /** {@return the queue's one batch, locked for the calling thread until complete or abort} No allocation. */
    ReceiveBatch startReceive();

    /** {@code ibv_destroy_srq}; the queue pairs that used it have been closed. */
    @Override
    void close();
}
