// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.verbs.wr.WcStatus;

/** Receives the results of an agent's sends. Corresponds to {@code ib_mad_send_handler}. */
@FunctionalInterface
public interface MadSendHandler {
    /**
     * Reports the end of a send; called once for each. With a response, the receive handler was called before. The call
     * is made by the thread that drives the port, and must not block.
     *
     * @param send the message, which the agent may post again
     * @param status SUCCESS if the message was sent and, with a timeout, answered; RESP_TIMEOUT_ERR without an answer;
     *     WR_FLUSH_ERR after a cancellation; REM_ABORT_ERR if the peer ended an RMPP transfer, see {@link
     *     MadSend#vendorError}; other errors are those of the send request
     */
    void sent(MadSend send, WcStatus status);
}
