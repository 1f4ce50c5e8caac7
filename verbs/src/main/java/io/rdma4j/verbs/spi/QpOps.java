package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SendBatch;

/** A queue pair. Any thread may call; modify calls of one queue pair come one after another. */
public interface QpOps extends AutoCloseable {
    /** Queue pair number, 24 bits. */
    int qpn();

    /** What became of the sizes that were asked for. */
    QpCapabilities capabilities();

    /** The state now; the device itself may move it to SQE or ERR. */
    QpState state();

    /**
     * {@code ibv_modify_qp}. The mask suits the arrow from {@link #state()} and the values are in range. If the device
     * moved the queue pair to ERR meanwhile, only RESET and ERR may take effect: else EINVAL.
     */
    void modify(QpAttributes attributes);

    /** {@code ibv_query_qp}: every attribute the type has, with its state. */
    QpAttributes query();

    /** {@code ibv_wr_start}: the send queue's one batch, locked for the calling thread until complete or abort. No allocation. */
    SendBatch startSend();

    /** The same for the receive queue. */
    ReceiveBatch startReceive();

    /** {@code ibv_destroy_qp}: after it the device puts no completion of the queue pair into a queue any more. */
    @Override
    void close();
}
