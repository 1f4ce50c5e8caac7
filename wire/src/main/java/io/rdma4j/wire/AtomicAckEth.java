// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The atomic acknowledge extended transport header (IBA 9.3.5), {@code struct rxe_atmack}, after the {@link Aeth}.
 *
 * <pre>
 *    +---------------------------------------------------------------+
 *  0 |      value of the memory before the operation, 8 bytes        |
 *    +---------------------------------------------------------------+
 * </pre>
 */
public final class AtomicAckEth {
    /** Bytes of the header. */
    public static final int BYTES = 8;

    private AtomicAckEth() {}

    /**
     * Writes the header: the value before the operation, 64 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param original 64 bits
     */
    public static void write(MemorySegment segment, long offset, long original) {
        BigEndian.put64(segment, offset, original);
    }

    /**
     * {@return the value before the operation, 64 bits, {@code atmack_orig}}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long original(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset);
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("original", original(segment, offset), 16);
    }
}
