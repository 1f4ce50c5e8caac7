// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The header of IP over InfiniBand (RFC 4391, 6), in front of an IP packet in a datagram.
 *
 * <pre>
 *    +-------------------------------+-------------------------------+
 *  0 |     Ethertype of what follows |           reserved            |
 *    +-------------------------------+-------------------------------+
 * </pre>
 */
public final class IpoibHeader {
    /** Bytes of the header. */
    public static final int BYTES = 4;

    private IpoibHeader() {}

    /**
     * Writes the header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param etherType 16 bits
     */
    public static void write(MemorySegment segment, long offset, int etherType) {
        BigEndian.put16(segment, offset, etherType);
        BigEndian.put16(segment, offset + Short.BYTES, 0);
    }

    /**
     * {@return the Ethertype of the packet after this header, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int etherType(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset);
    }
}
