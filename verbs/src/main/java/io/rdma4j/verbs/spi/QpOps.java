package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.DataOrder;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.WrOpcode;
import java.util.Set;

/** A queue pair. Any thread may call; modify calls of one queue pair come one after another. */
public interface QpOps extends AutoCloseable {
    /** {@return queue pair number, 24 bits} */
    int qpn();

    /** {@return what became of the sizes that were asked for} */
    QpCapabilities capabilities();

    /** {@return the state now; the device itself may move it to SQE or ERR} */
    QpState state();

    /**
     * Answers to {@code ibv_modify_qp}. The mask suits the arrow from {@link #state()} and the values are in range. If
     * the device moved the queue pair to ERR meanwhile, only RESET and ERR may take effect: else EINVAL.
     *
     * @param attributes what shall be different
     */
    void modify(QpAttributes attributes);

    /** {@return every attribute that the type has, with its state} Answers to {@code ibv_query_qp}. */
    QpAttributes query();

    /**
     * {@return what the device promises of an operation's bytes; nothing, unless it says so} Answers to
     * {@code ibv_query_qp_data_in_order}.
     *
     * @param opcode of the operation
     */
    default Set<DataOrder> dataOrder(WrOpcode opcode) {
        return Set.of();
    }

    /**
     * {@return the send queue's one batch, locked for the calling thread until complete or abort} Answers to
     * {@code ibv_wr_start}. No allocation. Not called for XRC_TGT, which has no send queue.
     */
    SendBatch startSend();

    /** {@return the receive queue's one batch, likewise; not called if the queue pair has none of its own} */
    ReceiveBatch startReceive();

    /**
     * Somebody who shares the memory of the queues has posted. Called only for queue pairs made with memory that the caller brought.
     *
     * @throws RdmaException EOPNOTSUPP if the provider puts its queues elsewhere
     */
    default void ringDoorbell() {
        throw new RdmaException(Errno.EOPNOTSUPP, "the queues of this device cannot be shared");
    }

    /**
     * {@code ibv_attach_mcast}: datagrams to the group come to this queue pair as well. Called once for each group.
     *
     * @param group a multicast GID
     * @param lid multicast LID of the group; 0 on Ethernet
     */
    default void attachMulticast(Gid group, int lid) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no multicast");
    }

    /**
     * {@code ibv_detach_mcast}: undoes {@link #attachMulticast}; also called before {@link #close}.
     *
     * @param group MGID
     * @param lid MLID on InfiniBand
     */
    default void detachMulticast(Gid group, int lid) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no multicast");
    }

    /** {@code ibv_destroy_qp}: after it the device puts no completion of the queue pair into a queue any more. */
    @Override
    void close();
}
