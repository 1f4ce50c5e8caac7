// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The atomic extended transport header of Compare Swap and Fetch Add (IBA 9.3.4), {@code struct rxe_atmeth}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------------------------------------------------------+
 *  0 |                   virtual address, 8 bytes                    |
 *    +---------------------------------------------------------------+
 *  8 |                          remote key                           |
 *    +---------------------------------------------------------------+
 * 12 |               value to swap in or to add, 8 bytes             |
 *    +---------------------------------------------------------------+
 * 20 |               value to compare with, 8 bytes                  |
 *    +---------------------------------------------------------------+
 * </pre>
 */
public final class AtomicEth {
    /** Bytes of the header. */
    public static final int BYTES = 28;

    private static final int RKEY = 8;
    private static final int SWAP_OR_ADD = 12;
    private static final int COMPARE = 20;

    private AtomicEth() {}

    /**
     * Writes the header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param virtualAddress 64 bits, unsigned; a multiple of 8
     * @param rkey remote key, 32 bits
     * @param swapOrAdd Compare Swap: the new value; Fetch Add: the summand
     * @param compare Compare Swap: the expected value; Fetch Add: 0
     */
    public static void write(
            MemorySegment segment, long offset, long virtualAddress, int rkey, long swapOrAdd, long compare) {
        BigEndian.put64(segment, offset, virtualAddress);
        BigEndian.put32(segment, offset + RKEY, rkey);
        BigEndian.put64(segment, offset + SWAP_OR_ADD, swapOrAdd);
        BigEndian.put64(segment, offset + COMPARE, compare);
    }

    /**
     * {@return the address of the eight bytes, 64 bits, unsigned}
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
     * {@return the new value of a Compare Swap, the summand of a Fetch Add; 64 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long swapOrAdd(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + SWAP_OR_ADD);
    }

    /**
     * {@return the value that a Compare Swap expects; 64 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long compare(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + COMPARE);
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
        sink.hex("swapOrAdd", swapOrAdd(segment, offset), 16);
        sink.hex("compare", compare(segment, offset), 16);
    }
}
