// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Grh;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.roce.Icrc;
import io.rdma4j.wire.roce.RocePacket;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The layout of a whole packet of an InfiniBand link, and checks of its format.
 *
 * <pre>
 *   LRH offset       BTH offset                                            end
 *   |                |                                                     |
 *   +-----+----------+-----+------------------+---------+-----+------+------+
 *   | LRH | GRH or - | BTH | extended headers | payload | pad | ICRC | VCRC |   local and global
 *   +-----+----------+-----+------------------+---------+-----+------+------+
 *   | LRH | ether type or IPv6 header         | payload              | VCRC |   raw
 *   +-----+-----------------------------------+----------------------+------+
 *   |------------------- packet length of the LRH -------------------|
 * </pre>
 *
 * A check examines only lengths and codes. It does not throw, whatever the bytes are.
 */
public final class LocalPacket {
    /** Bytes of headers and CRCs that a packet may have above its MTU. */
    public static final int MAX_HEADER_BYTES = 124;

    private LocalPacket() {}

    /**
     * {@return the result of a check of the whole packet}
     *
     * @param segment the memory of the packet
     * @param offset of the LRH
     * @param length bytes from LRH to VCRC
     */
    public static LocalPacketCheck check(MemorySegment segment, long offset, int length) {
        if (length < Lrh.BYTES + Vcrc.BYTES || length > segment.byteSize() - offset) {
            return LocalPacketCheck.TOO_SHORT;
        }
        if (Lrh.version(segment, offset) != 0) {
            return LocalPacketCheck.BAD_VERSION;
        }
        if (Lrh.packetLength(segment, offset) * Lrh.WORD_BYTES + Vcrc.BYTES != length) {
            return LocalPacketCheck.BAD_LENGTH;
        }
        LinkNextHeader next = Lrh.nextHeader(segment, offset);
        int rest = length - Vcrc.BYTES - Lrh.BYTES - next.bytes();
        if (rest < 0) {
            return LocalPacketCheck.TOO_SHORT;
        }
        if (next.isRaw()) {
            return LocalPacketCheck.OK;
        }
        if (next == LinkNextHeader.GLOBAL && !isGrh(segment, offset + Lrh.BYTES, rest)) {
            return LocalPacketCheck.BAD_GRH;
        }
        return RocePacket.check(segment, bthOffset(segment, offset), rest).isOk()
                ? LocalPacketCheck.OK
                : LocalPacketCheck.BAD_TRANSPORT;
    }

    private static boolean isGrh(MemorySegment segment, long offset, int transportBytes) {
        return Ipv6.version(segment, offset) == Ipv6.VERSION
                && Ipv6.nextHeader(segment, offset) == Grh.NEXT_HEADER_BTH
                && Ipv6.payloadLength(segment, offset) == transportBytes;
    }

    /**
     * {@return offset of the BTH of a packet that is not raw}
     *
     * @param segment the memory of the packet
     * @param offset of the LRH
     */
    public static long bthOffset(MemorySegment segment, long offset) {
        return offset + Lrh.BYTES + Lrh.nextHeader(segment, offset).bytes();
    }

    /**
     * {@return bytes from BTH to ICRC of a packet that is not raw}
     *
     * @param segment the memory of the packet
     * @param offset of the LRH
     */
    public static int transportBytes(MemorySegment segment, long offset) {
        return Lrh.packetLength(segment, offset) * Lrh.WORD_BYTES - (int) (bthOffset(segment, offset) - offset);
    }

    /**
     * {@return the invariant CRC of a packet that {@link #check} accepted and that is not raw}
     *
     * @param icrc computes it
     * @param segment the memory of the packet
     * @param view the same memory; offsets are the same in both
     * @param offset of the LRH
     */
    public static int computeIcrc(Icrc icrc, MemorySegment segment, ByteBuffer view, int offset) {
        int end = icrcOffset(segment, offset);
        return Lrh.nextHeader(segment, offset) == LinkNextHeader.GLOBAL
                ? icrc.computeGrh(segment, view, offset + Lrh.BYTES, end)
                : icrc.computeLocal(segment, view, offset, end);
    }

    /**
     * {@return offset of the ICRC of a packet that is not raw}
     *
     * @param segment the memory of the packet
     * @param offset of the LRH
     */
    public static int icrcOffset(MemorySegment segment, int offset) {
        return vcrcOffset(segment, offset) - Icrc.BYTES;
    }

    /**
     * {@return offset of the VCRC}
     *
     * @param segment the memory of the packet
     * @param offset of the LRH
     */
    public static int vcrcOffset(MemorySegment segment, int offset) {
        return offset + Lrh.packetLength(segment, offset) * Lrh.WORD_BYTES;
    }

    /**
     * {@return true if the VCRC of a packet that {@link #check} accepted is right}
     *
     * @param segment the memory of the packet
     * @param offset of the LRH
     */
    public static boolean hasGoodVcrc(MemorySegment segment, int offset) {
        int end = vcrcOffset(segment, offset);
        return Vcrc.load(segment, end) == Vcrc.compute(segment, offset, end - offset);
    }

    /**
     * Computes the VCRC of a packet and stores it.
     *
     * @param segment the memory of the packet
     * @param offset of the LRH
     */
    public static void storeVcrc(MemorySegment segment, int offset) {
        int end = vcrcOffset(segment, offset);
        Vcrc.store(segment, end, Vcrc.compute(segment, offset, end - offset));
    }

    /**
     * {@return true if a packet that {@link #check} accepted is a datagram of subnet management: local, to queue pair
     * 0}
     *
     * @param segment the memory of the packet
     * @param offset of the LRH
     */
    public static boolean isToQp0(MemorySegment segment, long offset) {
        return !Lrh.nextHeader(segment, offset).isRaw() && Bth.destinationQpn(segment, bthOffset(segment, offset)) == 0;
    }
}
