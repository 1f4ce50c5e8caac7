// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.packet.SkBuff;

/** Sees packets of a device in addition to their receiver ({@code packet_type} of a packet socket). */
@FunctionalInterface
public interface PacketTap {
    /**
     * Sees a received packet before its handler. The packet begins after its link header, whose offset is set. It is
     * not validated and may be malformed. Called by the owner of the device's loop. Throws nothing, whatever the bytes.
     *
     * @param skb the packet, borrowed for the call; the tap only reads it, and restores it before it returns
     */
    void see(SkBuff skb);

    /**
     * {@return true if the tap also sees sent packets as the driver gets them, after their link header
     * ({@code dev_queue_xmit_nit})} A packet that the driver did not accept is seen again when it is sent.
     */
    default boolean seesOutgoing() {
        return false;
    }
}
