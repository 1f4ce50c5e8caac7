// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.base.Mtu;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.ib.Vcrc;
import io.rdma4j.wire.roce.RocePacket;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A packet within a fabric: the buffer, and what ports and switches read of its headers, once. The virtual lane is here
 * and not in the buffer, because copies of a multicast packet share the buffer.
 */
final class IbPacket {
    private static final int BLOCK_BYTES = 64;
    private static final int NO_QPN = -1;
    /** Longest packet of the largest MTU, without VCRC. */
    static final int MAX_BYTES = Mtu.MTU_4096.bytes() + LocalPacket.MAX_HEADER_BYTES;

    @Nullable
    IbPacket next;

    /** Null in a free descriptor. */
    @Nullable
    SkBuff skb;

    LinkNextHeader nextHeader = LinkNextHeader.LOCAL;
    int lane;
    int serviceLevel;
    int dlid;
    int slid;
    /** Length from LRH to ICRC, in words. */
    int words;
    /** Units of flow control. */
    int blocks;

    int payloadBytes;
    int pkey;
    int destinationQpn;
    /** The port by which a switch sends a packet of its own, whatever its destination; 0 for any. */
    int directedPort;

    /** When the last byte arrived at the node that holds it, or arrives at the next one. */
    long arrivesNs;
    /** True if the bytes on the link were damaged. */
    boolean isDamaged;

    SkBuff buffer() {
        if (skb == null) {
            throw new IllegalStateException("the packet is free");
        }
        return skb;
    }

    /**
     * Reads the headers of a buffer.
     *
     * @return false if they are malformed
     */
    boolean read(SkBuff buffer) {
        skb = buffer;
        isDamaged = false;
        directedPort = 0;
        MemorySegment memory = buffer.memory();
        int at = buffer.data();
        if (buffer.headLen() < Lrh.BYTES) {
            return false;
        }
        nextHeader = Lrh.nextHeader(memory, at);
        lane = Lrh.virtualLane(memory, at);
        serviceLevel = Lrh.serviceLevel(memory, at);
        dlid = Lrh.destinationLid(memory, at);
        slid = Lrh.sourceLid(memory, at);
        words = Lrh.packetLength(memory, at);
        blocks = (words * Lrh.WORD_BYTES + Vcrc.BYTES + BLOCK_BYTES - 1) / BLOCK_BYTES;
        int headers = Lrh.BYTES + nextHeader.bytes();
        int bytes = words * Lrh.WORD_BYTES;
        if (Lrh.version(memory, at) != 0 || bytes > MAX_BYTES || !isLength(buffer.len(), bytes)) {
            return false;
        }
        return nextHeader.isRaw() ? readRaw(bytes - headers) : readTransport(buffer, headers, bytes);
    }

    /** The buffer has the length of the header, or ends before the ICRC, which is not computed yet. */
    private static boolean isLength(int length, int bytes) {
        return length == bytes || length == bytes - Integer.BYTES;
    }

    private boolean readRaw(int payload) {
        payloadBytes = payload;
        pkey = 0;
        destinationQpn = NO_QPN;
        return payload >= 0;
    }

    private boolean readTransport(SkBuff buffer, int headers, int bytes) {
        if (buffer.headLen() < headers + Bth.BYTES) {
            return false;
        }
        MemorySegment memory = buffer.memory();
        long bth = LocalPacket.bthOffset(memory, buffer.data());
        Opcode opcode = Bth.opcode(memory, bth);
        if (opcode == null) {
            return false;
        }
        payloadBytes = RocePacket.payloadBytes(memory, bth, bytes - headers, opcode);
        pkey = Bth.pkey(memory, bth);
        destinationQpn = Bth.destinationQpn(memory, bth);
        return payloadBytes >= 0;
    }

    /** Makes this the descriptor of a copy that shares the buffer. */
    void copyOf(IbPacket other) {
        skb = other.buffer().get();
        nextHeader = other.nextHeader;
        lane = other.lane;
        serviceLevel = other.serviceLevel;
        dlid = other.dlid;
        slid = other.slid;
        words = other.words;
        blocks = other.blocks;
        payloadBytes = other.payloadBytes;
        pkey = other.pkey;
        destinationQpn = other.destinationQpn;
        arrivesNs = other.arrivesNs;
        isDamaged = other.isDamaged;
        directedPort = 0;
    }

    /** True for a datagram of subnet management; it has no credits, no service level and no P_Key. */
    boolean isManagement() {
        return lane == Lrh.MANAGEMENT_LANE;
    }

    boolean isLocal() {
        return nextHeader == LinkNextHeader.LOCAL;
    }

    boolean isMulticast() {
        return Lid.isMulticast(dlid);
    }

    int bytesOnLink() {
        return words * Lrh.WORD_BYTES + Vcrc.BYTES;
    }
}
