// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The datagram extended transport header, in every UD packet (IBA 9.3.2), {@code struct rxe_deth}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------------------------------------------------------+
 *  0 |                           queue key                           |
 *    +---------------+-----------------------------------------------+
 *  4 |   reserved    |               source queue pair               |
 *    +---------------+-----------------------------------------------+
 * </pre>
 */
public final class Deth {
    /** Bytes of the header. */
    public static final int BYTES = 8;

    private static final int SOURCE_QPN = 4;

    private Deth() {}

    /**
     * Writes the header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param qkey queue key, 32 bits
     * @param sourceQpn 24 bits
     */
    public static void write(MemorySegment segment, long offset, int qkey, int sourceQpn) {
        BigEndian.put32(segment, offset, qkey);
        BigEndian.put32(segment, offset + SOURCE_QPN, sourceQpn & 0xFF_FFFF);
    }

    /**
     * {@return queue key, 32 bits: must equal that of the destination queue pair}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int qkey(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset);
    }

    /**
     * {@return queue pair of the sender, 24 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int sourceQpn(MemorySegment segment, long offset) {
        return BigEndian.getLow24(segment, offset + SOURCE_QPN);
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("qkey", Integer.toUnsignedLong(qkey(segment, offset)), 8);
        sink.hex("srcQpn", sourceQpn(segment, offset), 6);
    }
}
