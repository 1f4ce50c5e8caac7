// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The RDMA extended transport header (IBA 9.3.3), {@code struct rxe_reth}: the remote memory of a WRITE, READ or FLUSH.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------------------------------------------------------+
 *  0 |                   virtual address, 8 bytes                    |
 *    +---------------------------------------------------------------+
 *  8 |                          remote key                           |
 *    +---------------------------------------------------------------+
 * 12 |                          DMA length                           |
 *    +---------------------------------------------------------------+
 * </pre>
 */
public final class Reth {
    /** Bytes of the header. */
    public static final int BYTES = 16;

    private static final int RKEY = 8;
    private static final int DMA_LENGTH = 12;

    private Reth() {}

    /**
     * Writes the header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param virtualAddress 64 bits, unsigned
     * @param rkey remote key, 32 bits
     * @param dmaLength bytes of the whole message, 32 bits, unsigned
     */
    public static void write(MemorySegment segment, long offset, long virtualAddress, int rkey, long dmaLength) {
        BigEndian.put64(segment, offset, virtualAddress);
        BigEndian.put32(segment, offset + RKEY, rkey);
        BigEndian.put32(segment, offset + DMA_LENGTH, (int) dmaLength);
    }

    /**
     * {@return the start of the remote memory, 64 bits, unsigned}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long virtualAddress(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset);
    }

    /**
     * {@return remote key, 32 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int rkey(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + RKEY);
    }

    /**
     * {@return bytes of the whole message, 0..2^32-1; a {@code long} because 2^31 is legal}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long dmaLength(MemorySegment segment, long offset) {
        return Integer.toUnsignedLong(BigEndian.get32(segment, offset + DMA_LENGTH));
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("va", virtualAddress(segment, offset), 16);
        sink.hex("rkey", Integer.toUnsignedLong(rkey(segment, offset)), 8);
        sink.decimal("dmaLength", dmaLength(segment, offset));
    }
}
