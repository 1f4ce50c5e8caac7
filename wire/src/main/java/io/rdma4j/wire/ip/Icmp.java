// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The header of ICMP messages (RFC 792), {@code struct icmphdr}; {@link Icmpv6} has the same layout.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+---------------+-------------------------------+
 *  0 |     type      |     code      |           checksum            |
 *    +---------------+---------------+-------------------------------+
 *  4 |   identifier and sequence number, next hop's MTU, pointer     |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * An error message continues with the beginning of the packet that caused it.
 */
public final class Icmp {
    /** Bytes of the header. */
    public static final int BYTES = 8;
    /** {@code IPPROTO_ICMP}. */
    public static final int PROTOCOL = 1;
    /** {@code ICMP_ECHOREPLY}. */
    public static final int ECHO_REPLY = 0;
    /** {@code ICMP_DEST_UNREACH}. */
    public static final int DESTINATION_UNREACHABLE = 3;
    /** {@code ICMP_ECHO}. */
    public static final int ECHO_REQUEST = 8;
    /** {@code ICMP_TIME_EXCEEDED}. */
    public static final int TIME_EXCEEDED = 11;
    /** {@code ICMP_PARAMETERPROB}. */
    public static final int PARAMETER_PROBLEM = 12;

    private static final int SOURCE_QUENCH = 4;
    private static final int REDIRECT = 5;
    private static final int CODE = 1;
    private static final int CHECKSUM = 2;
    private static final int REST = 4;
    private static final int SEQUENCE = 6;

    private Icmp() {}

    /**
     * Writes a header with checksum 0.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param type 8 bits
     * @param code 8 bits
     * @param rest 32 bits after the checksum
     */
    public static void write(MemorySegment segment, long offset, int type, int code, int rest) {
        BigEndian.put8(segment, offset, type);
        BigEndian.put8(segment, offset + CODE, code);
        BigEndian.put16(segment, offset + CHECKSUM, 0);
        BigEndian.put32(segment, offset + REST, rest);
    }

    /**
     * {@return the type of the message, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int type(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset);
    }

    /**
     * {@return the code within the type, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int code(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + CODE);
    }

    /**
     * {@return the 32 bits after the checksum}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int rest(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + REST);
    }

    /**
     * {@return the identifier of an echo message, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int identifier(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + REST);
    }

    /**
     * {@return the sequence number of an echo message, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int sequence(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + SEQUENCE);
    }

    /**
     * Sets the checksum, 16 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param checksum 16 bits
     */
    public static void checksum(MemorySegment segment, long offset, int checksum) {
        BigEndian.put16(segment, offset + CHECKSUM, checksum);
    }

    /**
     * {@return true for error types; no error may be sent in response to an error (RFC 1122, 3.2.2)}
     *
     * @param type 8 bits
     */
    public static boolean isError(int type) {
        return switch (type) {
            case DESTINATION_UNREACHABLE, SOURCE_QUENCH, REDIRECT, TIME_EXCEEDED, PARAMETER_PROBLEM -> true;
            default -> false;
        };
    }

    /**
     * {@return one line of text} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static String format(MemorySegment segment, long offset) {
        return "ICMP type " + type(segment, offset) + " code " + code(segment, offset) + " id "
                + identifier(segment, offset) + " seq " + sequence(segment, offset);
    }
}
