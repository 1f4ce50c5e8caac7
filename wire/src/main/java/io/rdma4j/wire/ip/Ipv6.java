// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The IPv6 header (RFC 8200), {@code struct ipv6hdr}. RoCEv2 uses no extension headers.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-------+---------------+---------------------------------------+
 *  0 |version| traffic class |              flow label               |
 *    +-------+---------------+-------+---------------+---------------+
 *  4 |        payload length         |  next header  |   hop limit   |
 *    +-------------------------------+---------------+---------------+
 *  8 |                    source address, 16 bytes                   |
 *    +---------------------------------------------------------------+
 * 24 |                 destination address, 16 bytes                 |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * An address is two {@code long}: prefix and interface id, as in a {@link Gid}. {@code Grh} has the same layout.
 */
public final class Ipv6 {
    /** Bytes of the header. */
    public static final int BYTES = 40;
    /** Value of the version field. */
    public static final int VERSION = 6;
    /** Offset of the payload length. */
    public static final int PAYLOAD_LENGTH = 4;
    /** Offset of the source address. */
    public static final int SOURCE = 8;
    /** Offset of the destination address. */
    public static final int DESTINATION = 24;
    /** {@code IPPROTO_UDP}. */
    public static final int NEXT_HEADER_UDP = 17;
    /** {@code NEXTHDR_HOP}: a hop-by-hop options header follows. */
    public static final int NEXT_HEADER_HOP_BY_HOP = 0;
    /** Bytes of the header that {@link #writeRouterAlert} writes. */
    public static final int ROUTER_ALERT_BYTES = 8;
    /** Mask of the flow label's 20 bits. */
    public static final int FLOW_LABEL_MASK = 0xF_FFFF;

    /** Offset of the hop limit. */
    public static final int HOP_LIMIT = 7;

    private static final int NEXT_HEADER = 6;

    /** The router alert option of a multicast listener, and padding. */
    private static final int ROUTER_ALERT = 0x0502_0000;

    private static final int PADDING = 0x0100;

    private Ipv6() {}

    /**
     * Writes a whole header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param trafficClass DSCP and ECN, 8 bits
     * @param flowLabel 20 bits
     * @param payloadLength bytes after this header, 16 bits
     * @param nextHeader 8 bits
     * @param hopLimit 8 bits
     * @param sourcePrefix upper 64 bits of the address
     * @param sourceInterfaceId lower 64 bits of the address
     * @param destinationPrefix upper 64 bits of the address
     * @param destinationInterfaceId lower 64 bits of the address
     */
    public static void write(
            MemorySegment segment,
            long offset,
            int trafficClass,
            int flowLabel,
            int payloadLength,
            int nextHeader,
            int hopLimit,
            long sourcePrefix,
            long sourceInterfaceId,
            long destinationPrefix,
            long destinationInterfaceId) {
        int first = VERSION << 28 | (trafficClass & 0xFF) << 20 | (flowLabel & FLOW_LABEL_MASK);
        int second = payloadLength << 16 | (nextHeader & 0xFF) << 8 | hopLimit & 0xFF;
        BigEndian.put64(segment, offset, (long) first << 32 | Integer.toUnsignedLong(second));
        BigEndian.put64(segment, offset + SOURCE, sourcePrefix);
        BigEndian.put64(segment, offset + SOURCE + 8, sourceInterfaceId);
        BigEndian.put64(segment, offset + DESTINATION, destinationPrefix);
        BigEndian.put64(segment, offset + DESTINATION + 8, destinationInterfaceId);
    }

    /**
     * Writes a hop-by-hop options header with the router alert option (RFC 2711).
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param nextHeader 8 bits
     */
    public static void writeRouterAlert(MemorySegment segment, long offset, int nextHeader) {
        BigEndian.put16(segment, offset, nextHeader << Byte.SIZE);
        BigEndian.put32(segment, offset + 2, ROUTER_ALERT);
        BigEndian.put16(segment, offset + 6, PADDING);
    }

    /**
     * {@return the IP version, 4 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int version(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset) >>> 4;
    }

    /**
     * {@return DSCP (upper 6 bits) and ECN (lower 2), 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int trafficClass(MemorySegment segment, long offset) {
        return (BigEndian.get32(segment, offset) >>> 20) & 0xFF;
    }

    /**
     * Sets DSCP and ECN, 8 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param trafficClass DSCP and ECN: 8 bits
     */
    public static void trafficClass(MemorySegment segment, long offset, int trafficClass) {
        int others = BigEndian.get32(segment, offset) & ~(0xFF << 20);
        BigEndian.put32(segment, offset, others | (trafficClass & 0xFF) << 20);
    }

    /**
     * {@return the flow label, 20 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int flowLabel(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset) & FLOW_LABEL_MASK;
    }

    /**
     * {@return bytes after this header, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int payloadLength(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + PAYLOAD_LENGTH);
    }

    /**
     * Sets the bytes after this header, 16 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param bytes 16 bits, unsigned
     */
    public static void payloadLength(MemorySegment segment, long offset, int bytes) {
        BigEndian.put16(segment, offset + PAYLOAD_LENGTH, bytes);
    }

    /**
     * {@return the protocol or extension header after this header, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int nextHeader(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + NEXT_HEADER);
    }

    /**
     * {@return the hop limit, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int hopLimit(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + HOP_LIMIT);
    }

    /**
     * Sets the hop limit, 8 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param hops 8 bits
     */
    public static void hopLimit(MemorySegment segment, long offset, int hops) {
        BigEndian.put8(segment, offset + HOP_LIMIT, hops);
    }

    /**
     * Sets the protocol or extension header after this header, 8 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param nextHeader 8 bits
     */
    public static void nextHeader(MemorySegment segment, long offset, int nextHeader) {
        BigEndian.put8(segment, offset + NEXT_HEADER, nextHeader);
    }

    /**
     * {@return upper 64 bits of the source address}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long sourcePrefix(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + SOURCE);
    }

    /**
     * {@return lower 64 bits of the source address}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long sourceInterfaceId(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + SOURCE + 8);
    }

    /**
     * {@return upper 64 bits of the destination address}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long destinationPrefix(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + DESTINATION);
    }

    /**
     * {@return lower 64 bits of the destination address}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long destinationInterfaceId(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + DESTINATION + 8);
    }

    /**
     * {@return the source address as an object} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static Gid source(MemorySegment segment, long offset) {
        return new Gid(sourcePrefix(segment, offset), sourceInterfaceId(segment, offset));
    }

    /**
     * {@return the destination address as an object} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static Gid destination(MemorySegment segment, long offset) {
        return new Gid(destinationPrefix(segment, offset), destinationInterfaceId(segment, offset));
    }

    /**
     * {@return one line of text} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static String format(MemorySegment segment, long offset) {
        return "IPv6 " + source(segment, offset) + " > " + destination(segment, offset) + " len "
                + payloadLength(segment, offset) + " tc " + trafficClass(segment, offset) + " fl "
                + flowLabel(segment, offset) + " hops " + hopLimit(segment, offset) + " next "
                + nextHeader(segment, offset);
    }
}
