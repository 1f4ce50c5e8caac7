// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * Messages of IPv4 multicast group membership (RFC 2236, RFC 3376), {@code struct igmphdr} and
 * {@code struct igmpv3_report}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+---------------+-------------------------------+
 *  0 |     type      |response within|           checksum            |
 *    +---------------+---------------+-------------------------------+
 *  4 |                            group                              |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * A version 3 query is longer. A version 3 report has the number of records in the last two bytes. Each record has a
 * type, the length of auxiliary data, the number of sources, and the group.
 */
public final class Igmp {
    /** {@code IPPROTO_IGMP}. */
    public static final int PROTOCOL = 2;
    /** Bytes of messages of version 2. */
    public static final int BYTES = 8;
    /** Bytes of a version 3 query without sources. */
    public static final int QUERY_V3_BYTES = 12;
    /** Bytes of a version 3 report with one record without sources. */
    public static final int REPORT_V3_BYTES = 16;
    /** {@code IGMP_HOST_MEMBERSHIP_QUERY}: requests reports of group memberships. */
    public static final int QUERY = 0x11;
    /** {@code IGMPV2_HOST_MEMBERSHIP_REPORT}. */
    public static final int REPORT_V2 = 0x16;
    /** {@code IGMP_HOST_LEAVE_MESSAGE}. */
    public static final int LEAVE = 0x17;
    /** {@code IGMPV3_HOST_MEMBERSHIP_REPORT}. */
    public static final int REPORT_V3 = 0x22;

    private static final int RESPONSE = 1;
    private static final int CHECKSUM = 2;
    private static final int GROUP = 4;
    private static final int RECORD = 8;
    private static final int RECORD_GROUP = 12;
    private static final int FIRST_FLOATING = 128;

    private Igmp() {}

    /**
     * Writes a version 2 message and its checksum.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param type 8 bits
     * @param group IPv4 address: 32 bits
     */
    public static void write(MemorySegment segment, long offset, int type, int group) {
        BigEndian.put32(segment, offset, type << 24);
        BigEndian.put32(segment, offset + GROUP, group);
        updateChecksum(segment, offset, BYTES);
    }

    /**
     * Writes a version 3 report with one record without sources, and its checksum.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param recordType of {@link GroupRecord}
     * @param group IPv4 address: 32 bits
     */
    public static void writeReport(MemorySegment segment, long offset, int recordType, int group) {
        BigEndian.put32(segment, offset, REPORT_V3 << 24);
        BigEndian.put32(segment, offset + GROUP, 1);
        BigEndian.put32(segment, offset + RECORD, recordType << 24);
        BigEndian.put32(segment, offset + RECORD_GROUP, group);
        updateChecksum(segment, offset, REPORT_V3_BYTES);
    }

    private static void updateChecksum(MemorySegment segment, long offset, int length) {
        int checksum = InternetChecksum.of(InternetChecksum.add(0, segment, offset, length, false));
        BigEndian.put16(segment, offset + CHECKSUM, checksum);
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
     * {@return the group of a query or a version 2 report; 0 for all groups}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int group(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + GROUP);
    }

    /**
     * {@return maximum response time of a version 2 or 3 query in units of 0.1 s; 0 in version 1}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param length bytes of the message
     */
    public static int responseTenths(MemorySegment segment, long offset, int length) {
        int code = BigEndian.get8(segment, offset + RESPONSE);
        boolean floating = length >= QUERY_V3_BYTES && code >= FIRST_FLOATING;
        return floating ? (code & 0xF | 0x10) << (code >>> 4 & 7) + 3 : code;
    }

    /**
     * {@return type of the first record of a version 3 report, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int recordType(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + RECORD);
    }

    /**
     * {@return group of the first record of a version 3 report}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int recordGroup(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + RECORD_GROUP);
    }
}
