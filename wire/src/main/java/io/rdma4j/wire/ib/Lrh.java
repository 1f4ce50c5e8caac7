// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The local route header, first in every packet of an InfiniBand link (IBA 7.7), {@code struct ib_unpacked_lrh}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-------+-------+-------+---+---+-------------------------------+
 *  0 |  VL   | LVer  |  SL   |   |LNH|        destination LID        |
 *    +-------+-+-----+-------+---+---+-------------------------------+
 *  4 | reserved|    packet length    |          source LID           |
 *    +---------+---------------------+-------------------------------+
 * </pre>
 *
 * The packet length counts words of 4 bytes from this header to the end of the invariant CRC, or of the payload of a
 * raw packet. The virtual lane changes from link to link; the invariant CRC does not cover it.
 */
public final class Lrh {
    /** Bytes of the header. */
    public static final int BYTES = 8;
    /** The lane of subnet management; it has no credits. */
    public static final int MANAGEMENT_LANE = 15;
    /** Number of virtual lanes, with {@link #MANAGEMENT_LANE}. */
    public static final int LANES = 16;
    /** Bytes of a unit of {@link #packetLength}. */
    public static final int WORD_BYTES = 4;

    private static final int LEVEL = 1;
    private static final int DLID = 2;
    private static final int LENGTH = 4;
    private static final int SLID = 6;
    private static final int NIBBLE_SHIFT = 4;
    private static final int NIBBLE = 0xF;
    private static final int LENGTH_MASK = 0x7FF;

    private Lrh() {}

    /**
     * Writes a header with version 0.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param virtualLane 4 bits
     * @param serviceLevel 4 bits
     * @param nextHeader what follows
     * @param destinationLid 16 bits
     * @param packetLength words of 4 bytes, 11 bits
     * @param sourceLid 16 bits
     */
    public static void write(
            MemorySegment segment,
            long offset,
            int virtualLane,
            int serviceLevel,
            LinkNextHeader nextHeader,
            int destinationLid,
            int packetLength,
            int sourceLid) {
        int first = (virtualLane & NIBBLE) << 28 | (serviceLevel & NIBBLE) << 20 | nextHeader.ordinal() << 16;
        BigEndian.put32(segment, offset, first | destinationLid & 0xFFFF);
        BigEndian.put32(segment, offset + LENGTH, (packetLength & LENGTH_MASK) << 16 | sourceLid & 0xFFFF);
    }

    /**
     * {@return the virtual lane, 0..15}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int virtualLane(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset) >>> NIBBLE_SHIFT;
    }

    /**
     * Sets the virtual lane, as each hop does.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param virtualLane 4 bits
     */
    public static void virtualLane(MemorySegment segment, long offset, int virtualLane) {
        BigEndian.put8(
                segment, offset, BigEndian.get8(segment, offset) & NIBBLE | (virtualLane & NIBBLE) << NIBBLE_SHIFT);
    }

    /**
     * {@return the version of the link headers, 0..15; only 0 is defined}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int version(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset) & NIBBLE;
    }

    /**
     * {@return the service level, 0..15}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int serviceLevel(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + LEVEL) >>> NIBBLE_SHIFT;
    }

    /**
     * {@return what follows this header}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static LinkNextHeader nextHeader(MemorySegment segment, long offset) {
        return LinkNextHeader.of(BigEndian.get8(segment, offset + LEVEL));
    }

    /**
     * {@return the destination LID, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int destinationLid(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + DLID);
    }

    /**
     * {@return the length of the packet without the variant CRC, in words of 4 bytes, 11 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int packetLength(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + LENGTH) & LENGTH_MASK;
    }

    /**
     * {@return the source LID, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int sourceLid(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + SLID);
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.decimal("vl", virtualLane(segment, offset));
        sink.decimal("sl", serviceLevel(segment, offset));
        sink.decimal("packetLength", packetLength(segment, offset));
    }
}
