// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import io.rdma4j.verbs.core.Arguments;

/**
 * Sizes of a queue pair. Corresponds to {@code struct ibv_qp_cap}. In a request they are minima, in the result of a
 * query the actual sizes.
 *
 * @param maxSendWr outstanding work requests of the send queue
 * @param maxReceiveWr outstanding work requests of the receive queue; ignored with a shared receive queue
 * @param maxSendSge scatter/gather elements of a send request
 * @param maxReceiveSge scatter/gather elements of a receive request
 * @param maxInlineData inline bytes of a send request
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

    /**
     * {@return queues of these depths, with one scatter/gather element per request and no inline data}
     *
     * @param maxSendWr {@code max_send_wr}
     * @param maxReceiveWr {@code max_recv_wr}
     */
    public static QpCapabilities of(int maxSendWr, int maxReceiveWr) {
        return new QpCapabilities(maxSendWr, maxReceiveWr, 1, 1, 0);
    }
}
