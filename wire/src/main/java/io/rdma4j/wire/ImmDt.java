// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * Immediate data (IBA 9.3.6), {@code struct rxe_immdt}: four bytes of the application, delivered in the completion.
 *
 * <pre>
 *    +---------------------------------------------------------------+
 *  0 |                        immediate data                         |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * Verbs pass the bytes in network order ({@code __be32 imm_data}). An {@code int} here is their value as a big-endian
 * number, the result of {@code ntohl}.
 */
public final class ImmDt {
    /** Bytes of the header. */
    public static final int BYTES = 4;

    private ImmDt() {}

    /**
     * Writes the data, 32 bits, first byte highest.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param immediate 32 bits
     */
    public static void write(MemorySegment segment, long offset, int immediate) {
        BigEndian.put32(segment, offset, immediate);
    }

    /**
     * {@return the data, 32 bits, first byte highest, {@code immdt_imm}}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int immediate(MemorySegment segment, long offset) {
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
        sink.hex("imm", Integer.toUnsignedLong(immediate(segment, offset)), 8);
    }
}
