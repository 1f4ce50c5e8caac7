// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The extension header of a fragment of an IPv6 packet (RFC 8200, 4.5), {@code struct frag_hdr}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+---------------+-------------------------+---+-+
 *  0 |  next header  |   reserved    |     fragment offset     |   |M|
 *    +---------------+---------------+-------------------------+---+-+
 *  4 |                        identification                         |
 *    +---------------------------------------------------------------+
 * </pre>
 */
public final class Ipv6Fragment {
    /** Bytes of the header. */
    public static final int BYTES = 8;
    /** {@code NEXTHDR_FRAGMENT}. */
    public static final int NEXT_HEADER = 44;

    private static final int OFFSET = 2;
    private static final int IDENTIFICATION = 4;
    private static final int MORE = 1;

    private Ipv6Fragment() {}

    /**
     * Writes a whole header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param nextHeader protocol of the packet, 8 bits
     * @param fragmentOffset offset of the fragment in units of 8 bytes, 13 bits
     * @param more true if more fragments follow
     * @param identification 32 bits
     */
    public static void write(
            MemorySegment segment, long offset, int nextHeader, int fragmentOffset, boolean more, int identification) {
        BigEndian.put16(segment, offset, nextHeader << Byte.SIZE);
        BigEndian.put16(segment, offset + OFFSET, fragmentOffset << 3 | (more ? MORE : 0));
        BigEndian.put32(segment, offset + IDENTIFICATION, identification);
    }

    /**
     * {@return the protocol of the packet, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int nextHeader(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset);
    }

    /**
     * {@return the offset of the fragment in units of 8 bytes, 13 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int fragmentOffset(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + OFFSET) >>> 3;
    }

    /**
     * {@return true if more fragments follow}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean isMore(MemorySegment segment, long offset) {
        return (BigEndian.get16(segment, offset + OFFSET) & MORE) != 0;
    }

    /**
     * {@return identification of the packet, 32 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int identification(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + IDENTIFICATION);
    }
}
