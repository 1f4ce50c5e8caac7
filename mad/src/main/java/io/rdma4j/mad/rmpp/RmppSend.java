// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.rmpp;

import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import java.lang.foreign.MemorySegment;

/** The sender of one message: cuts segments, keeps the window and what is acknowledged. */
public final class RmppSend {
    /** What an ACK means for the sender. */
    public enum Ack {
        /** An old one. */
        IGNORED,
        /** The window grew, or segments are acknowledged. */
        ADVANCED,
        /** All segments are acknowledged for the first time. */
        FINISHED,
        /** All segments were acknowledged before. */
        REPEATED,
        /** An error: the new window ends before the acknowledged segment. */
        WINDOW_TOO_SMALL,
        /** An error: the acknowledged segment was not sent. */
        SEGMENT_TOO_BIG
    }

    private final MemorySegment message;
    private final int headerBytes;
    private final int segments;
    private final int pad;
    private int next = 1;
    private long windowLast;
    private int acknowledged;

    /**
     * Begins a transfer.
     *
     * @param message headers of the class, and data of any length
     * @param headerBytes bytes of the headers, which each segment repeats
     * @param window segments that may be sent before the first ACK, at least 1
     */
    public RmppSend(MemorySegment message, int headerBytes, int window) {
        this.message = message;
        this.headerBytes = headerBytes;
        int dataBytes = Mad.BYTES - headerBytes;
        int length = (int) message.byteSize() - headerBytes;
        this.segments = Math.max(1, Math.ceilDiv(length, dataBytes));
        this.pad = segments * dataBytes - length;
        this.windowLast = window;
    }

    public int segments() {
        return segments;
    }

    /** {@return true if all segments are acknowledged} */
    public boolean isAcknowledged() {
        return acknowledged == segments;
    }

    /** {@return true if a segment within the window was not sent yet} */
    public boolean hasNext() {
        return next <= Math.min(windowLast, segments);
    }

    /** {@return the next segment in new memory} */
    public MemorySegment next() {
        int number = next++;
        MemorySegment segment = MemorySegment.ofArray(new byte[Mad.BYTES]);
        MemorySegment.copy(message, 0, segment, 0, headerBytes);
        int dataBytes = Mad.BYTES - headerBytes;
        long from = headerBytes + (long) (number - 1) * dataBytes;
        MemorySegment.copy(message, from, segment, headerBytes, Math.min(dataBytes, message.byteSize() - from));

        int segmentBytes = Mad.BYTES - Rmpp.PAYLOAD_OFFSET;
        int flags = Rmpp.ACTIVE;
        long payload = 0;
        if (number == 1) {
            flags |= Rmpp.FIRST;
            payload = (long) segments * segmentBytes - pad;
        }
        if (number == segments) {
            flags |= Rmpp.LAST;
            payload = (long) segmentBytes - pad;
        }
        Rmpp.TYPE.put(segment, Rmpp.OFFSET, RmppType.DATA.code());
        Rmpp.FLAGS.put(segment, Rmpp.OFFSET, flags);
        Rmpp.STATUS.put(segment, Rmpp.OFFSET, 0);
        Rmpp.SEGMENT_NUMBER.put(segment, Rmpp.OFFSET, number);
        Rmpp.PAYLOAD_LENGTH.put(segment, Rmpp.OFFSET, payload);
        return segment;
    }

    /** Continues with the segment after the last acknowledged one. */
    public void rewind() {
        next = acknowledged + 1;
    }

    /**
     * Takes an ACK.
     *
     * @param segment the last segment that the receiver has in order, unsigned 32 bits
     * @param newWindowLast the last segment that may be sent, unsigned 32 bits
     */
    public Ack acknowledge(long segment, long newWindowLast) {
        if (newWindowLast < segment) {
            return Ack.WINDOW_TOO_SMALL;
        }
        if (isAcknowledged()) {
            return Ack.REPEATED;
        }
        if (segment > segments || segment > windowLast) {
            return Ack.SEGMENT_TOO_BIG;
        }
        if (newWindowLast < windowLast || segment < acknowledged) {
            return Ack.IGNORED;
        }
        acknowledged = (int) segment;
        windowLast = newWindowLast;
        next = Math.max(next, acknowledged + 1);
        return isAcknowledged() ? Ack.FINISHED : Ack.ADVANCED;
    }

    /** {@return the last segment that is acknowledged, 0 before the first ACK} */
    public int acknowledged() {
        return acknowledged;
    }
}
