// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import java.lang.foreign.MemorySegment;

/**
 * The header of the reliable multi-packet protocol, after the common header of classes that use it (IBA 13.6.2).
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+---------------+---------+-----+---------------+
 *  0 |    version    |     type      |  time   |flags|    status     |
 *    +---------------+---------------+---------+-----+---------------+
 *  4 |                        segment number                         |
 *    +---------------------------------------------------------------+
 *  8 |              payload length or last of new window             |
 *    +---------------------------------------------------------------+
 * </pre>
 */
public final class Rmpp {
    /** Bytes of the header. */
    public static final int BYTES = 12;
    /** Offset of the header in a datagram. */
    public static final int OFFSET = Mad.HEADER_BYTES;
    /** Offset of the bytes that {@link #PAYLOAD_LENGTH} counts. */
    public static final int PAYLOAD_OFFSET = OFFSET + BYTES;
    /** The only version. */
    public static final int VERSION_1 = 1;

    /** Flag: the header is in use. */
    public static final int ACTIVE = 1;
    /** Flag: the first segment of a message. */
    public static final int FIRST = 2;
    /** Flag: the last segment of a message. */
    public static final int LAST = 4;

    /** {@link #RESPONSE_TIME} of a sender that does not announce one. */
    public static final int NO_RESPONSE_TIME = 0x1F;

    private static final MadLayout.Builder FIELDS = MadLayout.builder("RMPP");
    /** 1; 0 if the header is not in use. */
    public static final MadField VERSION = FIELDS.decimal("rmppVersion", 0, 8);
    /** {@link RmppType#code}. */
    public static final MadField TYPE = FIELDS.decimal("rmppType", 1, 8);
    /** Time within which the sender answers: 4.096 µs times 2 to the power of this. */
    public static final MadField RESPONSE_TIME = FIELDS.decimal("rrespTime", 2, 0, 5);
    /** {@link #ACTIVE}, {@link #FIRST}, {@link #LAST}. */
    public static final MadField FLAGS = FIELDS.hex("rmppFlags", 2, 5, 3);
    /** {@link RmppStatus}. */
    public static final MadField STATUS = FIELDS.decimal("rmppStatus", 3, 8);
    /** Number of a segment from 1 on; in an ACK the last one received in order. */
    public static final MadField SEGMENT_NUMBER = FIELDS.decimal("segment", 4, 32);
    /** DATA: bytes from {@link #PAYLOAD_OFFSET} on; of all segments in the first one, of its own in the last. */
    public static final MadField PAYLOAD_LENGTH = FIELDS.decimal("payloadLength", 8, 32);
    /** The header. */
    public static final MadLayout LAYOUT = FIELDS.build(BYTES);

    /** ACK: the last segment that the sender may transmit; the same bits as {@link #PAYLOAD_LENGTH}. */
    public static final MadField NEW_WINDOW_LAST = PAYLOAD_LENGTH;

    private Rmpp() {}

    /**
     * {@return true if the datagram is a segment; otherwise the other fields have no meaning} Some agents set the flag
     * without a version in responses of one datagram.
     *
     * @param segment the memory of the datagram
     * @param offset of the header's first byte
     */
    public static boolean isActive(MemorySegment segment, long offset) {
        return VERSION.isSet(segment, offset) && (FLAGS.getInt(segment, offset) & ACTIVE) != 0;
    }

    /**
     * {@return true if the datagram is the first segment of a message}
     *
     * @param segment the memory of the datagram
     * @param offset of the header's first byte
     */
    public static boolean isFirst(MemorySegment segment, long offset) {
        return isActive(segment, offset) && (FLAGS.getInt(segment, offset) & FIRST) != 0;
    }
}
