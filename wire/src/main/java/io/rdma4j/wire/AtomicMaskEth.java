// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The masks of a Masked Compare Swap or Masked Fetch Add, after the {@link AtomicEth} with the other operands. The
 * header is an extension of this project, like its opcodes: see {@link Opcode}.
 *
 * <pre>
 *    +---------------------------------------------------------------+
 *  0 |                     bits to swap, 8 bytes                     |
 *    +---------------------------------------------------------------+
 *  8 |       bits to compare, or the ends of fields, 8 bytes         |
 *    +---------------------------------------------------------------+
 * </pre>
 */
public final class AtomicMaskEth {
    /** Bytes of the header. */
    public static final int BYTES = 16;

    private static final int COMPARE_ADD = 8;

    private AtomicMaskEth() {}

    /**
     * Writes the header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param swapMask Masked Compare Swap: the bits to replace; Masked Fetch Add: 0
     * @param compareAddMask Masked Compare Swap: the bits to compare; Masked Fetch Add: the highest bit of each field
     */
    public static void write(MemorySegment segment, long offset, long swapMask, long compareAddMask) {
        BigEndian.put64(segment, offset, swapMask);
        BigEndian.put64(segment, offset + COMPARE_ADD, compareAddMask);
    }

    /**
     * {@return the bits that a Masked Compare Swap replaces, 64 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long swapMask(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset);
    }

    /**
     * {@return the bits that a Masked Compare Swap compares, or the highest bit of each field of a Masked Fetch Add; 64
     * bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long compareAddMask(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + COMPARE_ADD);
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("swapMask", swapMask(segment, offset), 16);
        sink.hex("compareAddMask", compareAddMask(segment, offset), 16);
    }
}
