// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.packet.SkBuff;

/** Receives the packets of one protocol, or all packets, of a device (the {@code func} of {@code packet_type}). */
@FunctionalInterface
public interface ReceiveHandler {
    /**
     * Receives a packet that begins after its link header, whose offset is set. {@code protocol} and {@code packetType}
     * are set. The rest is not validated and may be malformed. Called by the owner of the device's loop. Throws
     * nothing, whatever the bytes.
     *
     * @param skb the packet; the handler owns and frees it
     */
    void receive(SkBuff skb);
}
