// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The header of a UDP datagram to port 4789 (RFC 7348); an Ethernet frame follows.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-+-+-+-+-+-+-+-+-----------------------------------------------+
 *  0 |R|R|R|R|I|R|R|R|                  reserved                     |
 *    +---------------+-------------------------------+---------------+
 *  4 |          network identifier (VNI)             |   reserved    |
 *    +-----------------------------------------------+---------------+
 * </pre>
 *
 * I: the identifier is valid, which is required. Reserved bits are sent as zero and ignored.
 */
public final class Vxlan {
    /** Bytes of the header. */
    public static final int BYTES = 8;

    /** The UDP port that IANA has assigned to it. */
    public static final int PORT = 4789;

    /** The highest network identifier: 24 bits. */
    public static final int MAX_VNI = 0xFF_FFFF;

    private static final int FLAG_VALID = 0x08;
    private static final int VNI = 4;
    private static final int VNI_SHIFT = 8;

    private Vxlan() {}

    /**
     * Writes a header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param vni 24 bits
     */
    public static void write(MemorySegment segment, long offset, int vni) {
        BigEndian.put32(segment, offset, FLAG_VALID << 24);
        BigEndian.put32(segment, offset + VNI, vni << VNI_SHIFT);
    }

    /**
     * {@return true if the header contains a network identifier}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean isValid(MemorySegment segment, long offset) {
        return (BigEndian.get8(segment, offset) & FLAG_VALID) != 0;
    }

    /**
     * {@return network identifier, 24 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int vni(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + VNI) >>> VNI_SHIFT;
    }
}
