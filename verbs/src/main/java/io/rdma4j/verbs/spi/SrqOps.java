// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.ReceiveBatch;

/** The provider's part of a shared receive queue. Any thread. */
public interface SrqOps extends AutoCloseable {
    /** {@return the number that XRC senders use: 24 bits} Called only for XRC queues. */
    int number();

    /** {@return the actual sizes, and the limit while it is armed} Corresponds to {@code ibv_query_srq}. */
    SrqAttributes query();

    /**
     * Arms the limit. Corresponds to {@code ibv_modify_srq} with {@code IBV_SRQ_LIMIT}.
     *
     * @param limit within the queue's size; 0 disarms
     */
    void armLimit(int limit);

    /**
     * Resizes the queue. Corresponds to {@code ibv_modify_srq} with {@code IBV_SRQ_MAX_WR}; called only if the device
     * has {@link io.rdma4j.verbs.device.DeviceCapability#SRQ_RESIZE}.
     *
     * @param maxWr minimum capacity in requests, within the device's limit and not below the armed limit
     * @throws RdmaException EINVAL if more requests wait
     */
    default void resize(int maxWr) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not resize shared receive queues");
    }

    /** {@return the queue's only batch, locked for the calling thread until complete or abort} Allocates nothing. */
    ReceiveBatch startReceive();

    /** Destroys the queue. Corresponds to {@code ibv_destroy_srq}; the core has closed the queue pairs that used it. */
    @Override
    void close();
}
