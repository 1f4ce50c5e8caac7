// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The XRC extended transport header, after the {@link Bth} of every XRC request and of no response (IBA annex A14).
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+-----------------------------------------------+
 *  0 |   reserved    |          XRC shared receive queue             |
 *    +---------------+-----------------------------------------------+
 * </pre>
 */
public final class XrcEth {
    /** Bytes of the header. */
    public static final int BYTES = 4;

    private XrcEth() {}

    /**
     * Writes the number of the shared receive queue, 24 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param srqNumber 24 bits
     */
    public static void write(MemorySegment segment, long offset, int srqNumber) {
        BigEndian.put32(segment, offset, srqNumber & 0xFF_FFFF);
    }

    /**
     * {@return number of the shared receive queue, 24 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int srqNumber(MemorySegment segment, long offset) {
        return BigEndian.getLow24(segment, offset);
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("srqn", srqNumber(segment, offset), 6);
    }
}
