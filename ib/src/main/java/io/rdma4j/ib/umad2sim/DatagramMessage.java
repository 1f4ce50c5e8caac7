// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A management datagram between a client and the server: 288 bytes, big-endian.
 *
 * <pre>
 *  0 destination LID │ 4 source LID │ 8 destination QPN │ 12 source QPN │ 16 status │ 24 length │ 32 datagram
 * </pre>
 *
 * The status is 0 or an errno; with 110 (ETIMEDOUT) a request returns unchanged.
 */
final class DatagramMessage {
    static final int MAD = 32;
    static final int BYTES = MAD + Mad.BYTES;

    private static final int SOURCE_LID_AT = 4;
    private static final int DESTINATION_QPN_AT = 8;
    private static final int SOURCE_QPN_AT = 12;
    private static final int STATUS_AT = 16;
    private static final int LENGTH_AT = 24;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private DatagramMessage() {}

    static int destinationLid(MemorySegment message) {
        return Short.toUnsignedInt(message.get(SHORT, 0));
    }

    static int sourceLid(MemorySegment message) {
        return Short.toUnsignedInt(message.get(SHORT, SOURCE_LID_AT));
    }

    static void lids(MemorySegment message, int destination, int source) {
        message.set(INT, 0, 0);
        message.set(INT, SOURCE_LID_AT, 0);
        message.set(SHORT, 0, (short) destination);
        message.set(SHORT, SOURCE_LID_AT, (short) source);
    }

    static int destinationQpn(MemorySegment message) {
        return message.get(INT, DESTINATION_QPN_AT);
    }

    static int sourceQpn(MemorySegment message) {
        return message.get(INT, SOURCE_QPN_AT);
    }

    static void qpns(MemorySegment message, int destination, int source) {
        message.set(INT, DESTINATION_QPN_AT, destination);
        message.set(INT, SOURCE_QPN_AT, source);
    }

    /** Writes the queue pairs of a request to its answer, exchanged. */
    static void answerTo(MemorySegment request, MemorySegment answer) {
        answer.set(INT, DESTINATION_QPN_AT, sourceQpn(request));
        answer.set(INT, SOURCE_QPN_AT, destinationQpn(request));
    }

    static int status(MemorySegment message) {
        return message.get(INT, STATUS_AT);
    }

    static void status(MemorySegment message, int errno) {
        message.set(INT, STATUS_AT, errno);
    }

    /** Bytes of the datagram that the program sent or is to see. */
    static long length(MemorySegment message) {
        return message.get(LONG, LENGTH_AT);
    }

    static void length(MemorySegment message, long bytes) {
        message.set(LONG, LENGTH_AT, bytes);
    }

    /** Returns the bytes of a datagram that a program is to see: of an answer that is one segment only its records. */
    static long visibleLength(MemorySegment mad) {
        return isSegment(mad)
                ? Math.min(Rmpp.PAYLOAD_LENGTH.get(mad, Rmpp.OFFSET) + Rmpp.PAYLOAD_OFFSET, Mad.BYTES)
                : Mad.BYTES;
    }

    /** True for a segment of a message of the subnet administrator. */
    static boolean isSegment(MemorySegment mad) {
        return Mad.MGMT_CLASS.getInt(mad, 0) == MadClass.SUBN_ADM.code()
                && Rmpp.isActive(mad, Rmpp.OFFSET)
                && Rmpp.TYPE.getInt(mad, Rmpp.OFFSET) == RmppType.DATA.code();
    }

    static MemorySegment mad(MemorySegment message) {
        return message.asSlice(MAD, Mad.BYTES);
    }
}
