// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.DataOrder;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.Set;

/** The provider's part of a queue pair. Any thread; the core serializes modify calls of one queue pair. */
public interface QpOps extends AutoCloseable {
    /** {@return queue pair number, 24 bits} */
    int qpn();

    /** {@return the actual sizes} */
    QpCapabilities capabilities();

    /** {@return the present state; the device may change it to SQE or ERR} */
    QpState state();

    /**
     * Changes attributes. Corresponds to {@code ibv_modify_qp}. The core has checked the mask for the transition from
     * {@link #state()} and the values. If the device has changed the state to ERR meanwhile, only transitions to RESET
     * and ERR are allowed: otherwise EINVAL.
     *
     * @param attributes attributes to change
     */
    void modify(QpAttributes attributes);

    /** {@return all attributes of the type, and the state} Corresponds to {@code ibv_query_qp}. */
    QpAttributes query();

    /**
     * {@return the guarantees about the order in which the bytes of an operation are written; none by default}
     * Corresponds to {@code ibv_query_qp_data_in_order}.
     *
     * @param opcode of the operation
     */
    default Set<DataOrder> dataOrder(WrOpcode opcode) {
        return Set.of();
    }

    /**
     * {@return the send queue's only batch, locked for the calling thread until complete or abort} Corresponds to
     * {@code ibv_wr_start}. Allocates nothing. Not called for XRC_TGT, which has no send queue.
     */
    SendBatch startSend();

    /**
     * {@return the receive queue's only batch, locked for the calling thread until complete or abort} Not called if the
     * queue pair has no receive queue of its own.
     */
    ReceiveBatch startReceive();

    /**
     * Called after another process has posted to queues in shared memory. Called only for queue pairs that were created
     * with {@link io.rdma4j.verbs.QpInitAttributes#queueMemory}.
     *
     * @throws RdmaException EOPNOTSUPP if the provider does not support shared queues
     */
    default void ringDoorbell() {
        throw new RdmaException(Errno.EOPNOTSUPP, "the queues of this device cannot be shared");
    }

    /**
     * Attaches the queue pair to a multicast group. Corresponds to {@code ibv_attach_mcast}. Called once for each
     * group.
     *
     * @param group a multicast GID
     * @param lid multicast LID of the group; 0 on Ethernet
     */
    default void attachMulticast(Gid group, int lid) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no multicast");
    }

    /**
     * Detaches the queue pair from a multicast group. Corresponds to {@code ibv_detach_mcast}; also called before
     * {@link #close}.
     *
     * @param group MGID
     * @param lid MLID on InfiniBand
     */
    default void detachMulticast(Gid group, int lid) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no multicast");
    }

    /**
     * Destroys the queue pair. Corresponds to {@code ibv_destroy_qp}: after it the device posts no completion of the
     * queue pair.
     */
    @Override
    void close();
}
