// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SharedInfo;
import io.rdma4j.packet.SkBuff;

/**
 * An owner of packets that receives their transmit timestamps, which a socket with {@code SO_TIMESTAMPING} reads from
 * its error queue.
 */
@FunctionalInterface
public interface TransmitTimeListener {
    /**
     * Reports that a packet of this owner was sent. Called by the owner of the device's loop; must not block.
     *
     * @param skb the packet, borrowed and read-only
     * @param byLink true if the link took the time, {@link SharedInfo#hwtstamp}; false if the host did,
     *     {@link PacketMeta#tstamp}
     */
    void onTransmitTime(SkBuff skb, boolean byLink);
}
