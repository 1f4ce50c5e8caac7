// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The UDP header (RFC 768), {@code struct udphdr}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-------------------------------+-------------------------------+
 *  0 |          source port          |       destination port        |
 *    +-------------------------------+-------------------------------+
 *  4 |            length             |           checksum            |
 *    +-------------------------------+-------------------------------+
 * </pre>
 *
 * RoCEv2 sends checksum 0 ("none"), because the invariant CRC covers more. For IPv6, RFC 6936 permits this exception.
 */
public final class Udp {
    /** Bytes of the header. */
    public static final int BYTES = 8;
    /**
     * Destination port of every RoCEv2 packet, {@code ROCE_V2_UDP_DPORT}; the source port is arbitrary (IBA annex A17).
     */
    public static final int ROCE_V2_PORT = 4791;
    /** Offset of the length. */
    public static final int LENGTH = 4;
    /** Offset of the checksum. */
    public static final int CHECKSUM = 6;

    private static final int DESTINATION_PORT = 2;

    private Udp() {}

    /**
     * Writes a header with checksum 0.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sourcePort 16 bits
     * @param destinationPort 16 bits
     * @param length bytes from this header to the end of the datagram, 16 bits
     */
    public static void write(MemorySegment segment, long offset, int sourcePort, int destinationPort, int length) {
        long ports = (sourcePort & 0xFFFFL) << 48 | (destinationPort & 0xFFFFL) << 32;
        BigEndian.put64(segment, offset, ports | (length & 0xFFFFL) << 16);
    }

    /**
     * {@return the source port, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int sourcePort(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset);
    }

    /**
     * {@return the destination port, 16 bits; 4791 for RoCEv2}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int destinationPort(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + DESTINATION_PORT);
    }

    /**
     * {@return bytes from this header to the end of the datagram, 16 bits; less than {@link #BYTES} only if malformed}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int length(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + LENGTH);
    }

    /**
     * Sets the bytes from this header to the end of the datagram, 16 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param bytes 16 bits, unsigned
     */
    public static void length(MemorySegment segment, long offset, int bytes) {
        BigEndian.put16(segment, offset + LENGTH, bytes);
    }

    /**
     * {@return the checksum in the header, 16 bits; 0 is "none"}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int checksum(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + CHECKSUM);
    }

    /**
     * Sets the checksum, 16 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param checksum 16 bits
     */
    public static void checksum(MemorySegment segment, long offset, int checksum) {
        BigEndian.put16(segment, offset + CHECKSUM, checksum);
    }

    /**
     * {@return one line of text} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static String format(MemorySegment segment, long offset) {
        return "UDP " + sourcePort(segment, offset) + " > " + destinationPort(segment, offset) + " len "
                + length(segment, offset);
    }
}
