// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;

/**
 * Offload of a packet or train that another process sent without checksums. The packet is received in this process and
 * never sent on, so nothing completes it.
 */
final class IncompletePacket implements PacketOffload {
    static final IncompletePacket INSTANCE = new IncompletePacket();

    private IncompletePacket() {}

    /** Returns the length in the IP header, which for a train is that of its first packet. */
    @Override
    public int segmentBytes(SkBuff train, int index) {
        MemorySegment memory = train.memory();
        int at = train.data();
        return Ipv4.version(memory, at) == Ipv4.VERSION
                ? Ipv4.totalLength(memory, at)
                : Ipv6.BYTES + Ipv6.payloadLength(memory, at);
    }

    /** Not supported: the train cannot be cut. */
    @Override
    public boolean segment(SkBuff train, int index, SkBuff target) {
        return false;
    }
}
