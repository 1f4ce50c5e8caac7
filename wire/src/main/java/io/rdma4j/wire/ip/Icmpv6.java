// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The header of ICMPv6 messages (RFC 4443), {@code struct icmp6hdr}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+---------------+-------------------------------+
 *  0 |     type      |     code      |           checksum            |
 *    +---------------+---------------+-------------------------------+
 * </pre>
 */
public final class Icmpv6 {
    /** Bytes of the common header. */
    public static final int BYTES = 4;
    /** {@code IPPROTO_ICMPV6}: the next header in the IPv6 header. */
    public static final int NEXT_HEADER = 58;
    /** {@code ICMPV6_DEST_UNREACH}. */
    public static final int DESTINATION_UNREACHABLE = 1;
    /** {@code ICMPV6_PKT_TOOBIG}. */
    public static final int PACKET_TOO_BIG = 2;
    /** {@code ICMPV6_TIME_EXCEED}. */
    public static final int TIME_EXCEEDED = 3;
    /** {@code ICMPV6_PARAMPROB}. */
    public static final int PARAMETER_PROBLEM = 4;
    /** {@code ICMPV6_ECHO_REQUEST}. */
    public static final int ECHO_REQUEST = 128;
    /** {@code ICMPV6_ECHO_REPLY}. */
    public static final int ECHO_REPLY = 129;
    /** {@code NDISC_NEIGHBOUR_SOLICITATION}. */
    public static final int NEIGHBOUR_SOLICITATION = 135;
    /** {@code NDISC_NEIGHBOUR_ADVERTISEMENT}. */
    public static final int NEIGHBOUR_ADVERTISEMENT = 136;

    private static final int FIRST_INFORMATION = 128;
    private static final int CODE = 1;
    private static final int CHECKSUM = 2;
    private static final int ADDRESSES_BYTES = 32;

    private Icmpv6() {}

    /** Writes type, code 0 and checksum 0; the caller updates the checksum ({@link #updateChecksum}). */
    static void write(MemorySegment segment, long offset, int type) {
        BigEndian.put8(segment, offset, type);
        BigEndian.put8(segment, offset + CODE, 0);
        BigEndian.put16(segment, offset + CHECKSUM, 0);
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
     * {@return true for error types; no error may be sent in response to an error (RFC 4443, 2.4)}
     *
     * @param type 8 bits
     */
    public static boolean isError(int type) {
        return type < FIRST_INFORMATION;
    }

    /**
     * Computes and stores the checksum.
     *
     * @param segment the memory of the packet
     * @param ip offset of the IPv6 header, whose addresses the checksum covers
     * @param offset of the header's first byte in {@code segment}
     * @param length bytes of the message, this header included
     */
    public static void updateChecksum(MemorySegment segment, long ip, long offset, int length) {
        BigEndian.put16(segment, offset + CHECKSUM, 0);
        BigEndian.put16(segment, offset + CHECKSUM, checksum(segment, ip, offset, length));
    }

    /**
     * {@return true if the checksum is correct}
     *
     * @param segment the memory of the packet
     * @param ip of the first byte of the IPv6 header in {@code segment}
     * @param offset of the header's first byte in {@code segment}
     * @param length bytes from the ICMP header to the end of the packet
     */
    public static boolean isIntact(MemorySegment segment, long ip, long offset, int length) {
        return checksum(segment, ip, offset, length) == 0;
    }

    /** Computes the checksum of the message and the pseudo header of RFC 8200, 8.1. */
    private static int checksum(MemorySegment segment, long ip, long offset, int length) {
        int sum = InternetChecksum.add(0, segment, ip + Ipv6.SOURCE, ADDRESSES_BYTES, false);
        sum = InternetChecksum.add(sum, length);
        sum = InternetChecksum.add(sum, NEXT_HEADER);
        return InternetChecksum.of(InternetChecksum.add(sum, segment, offset, length, false));
    }
}
