// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import org.jspecify.annotations.Nullable;

/** Receives an agent's datagrams. Corresponds to {@code ib_mad_recv_handler}. */
@FunctionalInterface
public interface MadReceiveHandler {
    /**
     * Takes a datagram or a reassembled message. The call is made by the thread that drives the port, and must not
     * block.
     *
     * @param request the request that the message answers; null for an unsolicited message
     * @param mad the message; the handler or a later user closes it
     */
    void received(@Nullable MadSend request, ReceivedMad mad);
}
