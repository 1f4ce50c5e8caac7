package io.rdma4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Immediate data (IBA 9.3.6), {@code struct rxe_immdt}: four bytes of the application's, delivered in the completion.
 *
 * <pre>
 *    +---------------------------------------------------------------+
 *  0 |                        immediate data                         |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * Verbs hand the bytes through in the order of the wire ({@code __be32 imm_data}); an {@code int} here is their value as a
 * big-endian number, what {@code ntohl} makes of it.
 */
public final class ImmDt {
    /** Bytes of the header. */
    public static final int BYTES = 4;

    private ImmDt() {}

    /**
     * Writes the data, 32 bits, first byte on top.
     *
     * @param segment the memory that the packet lies in
     * @param offset of the header's first byte in {@code segment}
     * @param immediate 32 bits
     */
    public static void write(MemorySegment segment, long offset, int immediate) {
        BigEndian.put32(segment, offset, immediate);
    }

    /**
     * {@return the data, 32 bits, first byte on top, {@code immdt_imm}}
     *
     * @param segment the memory that the packet lies in
     * @param offset of the header's first byte in {@code segment}
     */
    public static int immediate(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset);
    }

    /**
     * Hands the fields to {@code sink}.
     *
     * @param segment the memory that the packet lies in
     * @param offset of the header's first byte in {@code segment}
     * @param sink gets name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("imm", Integer.toUnsignedLong(immediate(segment, offset)), 8);
    }
}
