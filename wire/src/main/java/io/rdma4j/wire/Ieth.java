// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The invalidate extended transport header (IBA 9.3.7), {@code struct rxe_ieth}.
 *
 * <pre>
 *    +---------------------------------------------------------------+
 *  0 |       remote key that the receiver shall invalidate           |
 *    +---------------------------------------------------------------+
 * </pre>
 */
public final class Ieth {
    /** Bytes of the header. */
    public static final int BYTES = 4;

    private Ieth() {}

    /**
     * Writes the remote key, 32 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param rkey 32 bits
     */
    public static void write(MemorySegment segment, long offset, int rkey) {
        BigEndian.put32(segment, offset, rkey);
    }

    /**
     * {@return the remote key to invalidate, 32 bits, {@code ieth_rkey}}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int rkey(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset);
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("rkey", Integer.toUnsignedLong(rkey(segment, offset)), 8);
    }
}
