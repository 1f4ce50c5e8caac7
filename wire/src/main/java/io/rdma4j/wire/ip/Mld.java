// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * ICMPv6 messages of multicast group membership (RFC 2710, RFC 3810), {@code struct mld_msg} and
 * {@code struct mld2_report}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+---------------+-------------------------------+
 *  0 |     type      |     code      |           checksum            |
 *    +---------------+---------------+-------------------------------+
 *  4 |        response within        |           reserved            |
 *    +-------------------------------+-------------------------------+
 *  8 |                        group, 16 bytes                        |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * A version 2 query is longer. A version 2 report has the number of records at offset 6. Each record has a type, the
 * length of auxiliary data, the number of sources, and the group.
 */
public final class Mld {
    /** Bytes of a version 1 message. */
    public static final int BYTES = 24;
    /** Bytes of a version 2 query without sources. */
    public static final int QUERY_V2_BYTES = 28;
    /** Bytes of a version 2 report with one record without sources. */
    public static final int REPORT_V2_BYTES = 28;
    /** {@code ICMPV6_MGM_QUERY}. */
    public static final int QUERY = 130;
    /** {@code ICMPV6_MGM_REPORT}. */
    public static final int REPORT_V1 = 131;
    /** {@code ICMPV6_MGM_REDUCTION}. */
    public static final int DONE = 132;
    /** {@code ICMPV6_MLD2_REPORT}. */
    public static final int REPORT_V2 = 143;

    private static final int RESPONSE = 4;
    private static final int GROUP = 8;
    private static final int RECORD_GROUP = 12;
    private static final int FIRST_FLOATING = 0x8000;

    private Mld() {}

    /**
     * Writes a version 1 message; the caller updates the checksum ({@link Icmpv6#updateChecksum}).
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param type 8 bits
     * @param groupPrefix upper 64 bits of the address
     * @param groupInterfaceId lower 64 bits of the address
     */
    public static void write(MemorySegment segment, long offset, int type, long groupPrefix, long groupInterfaceId) {
        BigEndian.put32(segment, offset, type << 24);
        BigEndian.put32(segment, offset + RESPONSE, 0);
        BigEndian.put64(segment, offset + GROUP, groupPrefix);
        BigEndian.put64(segment, offset + GROUP + 8, groupInterfaceId);
    }

    /**
     * Writes a version 2 report with one record without sources; the caller updates the checksum.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param recordType of {@link GroupRecord}
     * @param groupPrefix upper 64 bits of the address
     * @param groupInterfaceId lower 64 bits of the address
     */
    public static void writeReport(
            MemorySegment segment, long offset, int recordType, long groupPrefix, long groupInterfaceId) {
        BigEndian.put32(segment, offset, REPORT_V2 << 24);
        BigEndian.put32(segment, offset + RESPONSE, 1);
        BigEndian.put32(segment, offset + GROUP, recordType << 24);
        BigEndian.put64(segment, offset + RECORD_GROUP, groupPrefix);
        BigEndian.put64(segment, offset + RECORD_GROUP + 8, groupInterfaceId);
    }

    /**
     * {@return upper 64 bits of the group of a query or a version 1 report; 0 for all groups}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long groupPrefix(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + GROUP);
    }

    /**
     * {@return lower 64 bits of the group of a query or a version 1 report; 0 for all groups}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long groupInterfaceId(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + GROUP + 8);
    }

    /**
     * {@return maximum response time of a query in ms}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param length bytes of the message
     */
    public static int responseMs(MemorySegment segment, long offset, int length) {
        int code = BigEndian.get16(segment, offset + RESPONSE);
        boolean floating = length >= QUERY_V2_BYTES && code >= FIRST_FLOATING;
        return floating ? (code & 0xFFF | 0x1000) << (code >>> 12 & 7) + 3 : code;
    }

    /**
     * {@return type of the first record of a version 2 report, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int recordType(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + GROUP);
    }

    /**
     * {@return lower 64 bits of the group of the first record of a version 2 report}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long recordInterfaceId(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + RECORD_GROUP + 8);
    }
}
