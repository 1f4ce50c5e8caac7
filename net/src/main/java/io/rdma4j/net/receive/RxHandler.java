// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.packet.SkBuff;

/** Sees the packets of a device before their protocols and may consume them ({@code rx_handler_func_t}). */
@FunctionalInterface
public interface RxHandler {
    /**
     * Handles a packet in the form that {@link ReceiveHandler} describes. Called by the owner of the device's loop.
     * Throws nothing, whatever the bytes.
     *
     * @param skb the packet; the handler owns it if it returns true
     * @return true if the handler consumed the packet and frees it ({@code RX_HANDLER_CONSUMED}); false to pass it
     *     unchanged to its protocol ({@code RX_HANDLER_PASS})
     */
    boolean receive(SkBuff skb);
}
