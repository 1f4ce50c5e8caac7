// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The acknowledge extended transport header (IBA 9.3.5), {@code struct rxe_aeth}: in acknowledgements and in the first,
 * last and only packet of a READ response.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+-----------------------------------------------+
 *  0 |   syndrome    |           message sequence number             |
 *    +---------------+-----------------------------------------------+
 * </pre>
 *
 * @see Syndrome
 */
public final class Aeth {
    /** Bytes of the header. */
    public static final int BYTES = 4;

    private Aeth() {}

    /**
     * Writes the header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param syndrome 8 bits, made by {@link Syndrome}
     * @param msn number of messages that the responder has completed, 24 bits
     */
    public static void write(MemorySegment segment, long offset, int syndrome, int msn) {
        BigEndian.put32(segment, offset, syndrome << 24 | (msn & 0xFF_FFFF));
    }

    /**
     * {@return the syndrome, 8 bits: ACK, RNR NAK or NAK with its code, see {@link Syndrome}}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int syndrome(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset);
    }

    /**
     * {@return the number of messages that the responder has completed, 24 bits, cyclic}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int msn(MemorySegment segment, long offset) {
        return BigEndian.getLow24(segment, offset);
    }

    /**
     * {@return the header as a number: syndrome in the upper 8 bits, MSN below}
     *
     * @param syndrome 8 bits
     * @param msn message sequence number: 24 bits
     */
    public static int word(int syndrome, int msn) {
        return syndrome << 24 | msn & 0xFF_FFFF;
    }

    /**
     * {@return the header as a number, 32 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int word(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset);
    }

    /**
     * {@return the syndrome of a header as a number}
     *
     * @param word 32 bits, as returned by {@link #word(MemorySegment, long)}
     */
    public static int syndromeOf(int word) {
        return word >>> 24;
    }

    /**
     * {@return the MSN of a header as a number}
     *
     * @param word 32 bits, as returned by {@link #word(MemorySegment, long)}
     */
    public static int msnOf(int word) {
        return word & 0xFF_FFFF;
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.text("syndrome", Syndrome.toString(syndrome(segment, offset)));
        sink.decimal("msn", msn(segment, offset));
    }
}
