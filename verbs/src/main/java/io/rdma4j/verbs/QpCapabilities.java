package io.rdma4j.verbs;

/**
 * Sizes of a queue pair. Answers to {@code struct ibv_qp_cap}. Asked for they are minima, queried they are what the
 * provider made of them.
 *
 * @param maxSendWr work requests outstanding on the send queue
 * @param maxReceiveWr work requests outstanding on the receive queue; ignored with a shared receive queue
 * @param maxSendSge pieces of memory of a send request
 * @param maxReceiveSge pieces of memory of a receive request
 * @param maxInlineData bytes that a send request may carry inline
 */
public record QpCapabilities(int maxSendWr, int maxReceiveWr, int maxSendSge, int maxReceiveSge, int maxInlineData) {

    /**
     * Checks the signs.
     *
     * @throws io.rdma4j.base.RdmaException EINVAL if a size is negative
     */
    public QpCapabilities {
        Arguments.notNegative("max_send_wr", maxSendWr);
        Arguments.notNegative("max_recv_wr", maxReceiveWr);
        Arguments.notNegative("max_send_sge", maxSendSge);
        Arguments.notNegative("max_recv_sge", maxReceiveSge);
        Arguments.notNegative("max_inline_data", maxInlineData);
    }

    QpCapabilities withoutReceives() {
        return new QpCapabilities(maxSendWr, 0, maxSendSge, 0, maxInlineData);
    }

    QpCapabilities withoutSends() {
        return new QpCapabilities(0, maxReceiveWr, 0, maxReceiveSge, 0);
    }

    /**
     * {@return queues of these depths, one piece of memory for each request, nothing inline}
     *
     * @param maxSendWr {@code max_send_wr}
     * @param maxReceiveWr {@code max_recv_wr}
     */
    public static QpCapabilities of(int maxSendWr, int maxReceiveWr) {
        return new QpCapabilities(maxSendWr, maxReceiveWr, 1, 1, 0);
    }
}
