// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.rmpp;

import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.Rmpp;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The receiver of one message: orders segments, keeps the window, and remembers the message for late segments. */
public final class RmppReceive {
    /** What becomes of a segment. */
    public enum Outcome {
        /** Kept. */
        KEPT,
        /** Kept; the receiver must send an ACK. */
        KEPT_AND_ACK,
        /** Kept, and the message is complete; the receiver must send an ACK. */
        COMPLETE,
        /** Not kept: acknowledged before. The receiver must send an ACK. */
        REPEATED,
        /** Not kept: received before, but not acknowledged yet. */
        DUPLICATE,
        /** Not kept: beyond the window. */
        BEYOND_WINDOW
    }

    private final int headerBytes;
    private final int window;

    /** Segments by number, from 1; null for those that are missing or beyond the message's end. */
    private final List<byte @Nullable []> segments = new ArrayList<>();

    private int inOrder;
    private int acknowledged;
    private int windowLast = 1;
    private int replyWindow = 1;
    private boolean complete;

    /**
     * Begins a transfer.
     *
     * @param headerBytes bytes of the headers, which each segment repeats
     * @param window segments by which the window grows
     */
    public RmppReceive(int headerBytes, int window) {
        this.headerBytes = headerBytes;
        this.window = window;
    }

    /**
     * {@return what {@link #take} would do with a segment: BEYOND_WINDOW, REPEATED, DUPLICATE, or KEPT for all others}
     *
     * @param number of the segment, unsigned 32 bits
     */
    public Outcome check(long number) {
        if (complete || number <= acknowledged) {
            return Outcome.REPEATED;
        }
        if (number > windowLast) {
            return Outcome.BEYOND_WINDOW;
        }
        return has((int) number) ? Outcome.DUPLICATE : Outcome.KEPT;
    }

    private boolean has(int number) {
        return number <= segments.size() && segments.get(number - 1) != null;
    }

    /**
     * Takes a segment for which {@link #check} returns KEPT.
     *
     * @param number of the segment, at least 1
     * @param segment 256 bytes; belongs to this transfer then
     */
    public Outcome take(int number, byte[] segment) {
        while (segments.size() < number) {
            segments.add(null);
        }
        segments.set(number - 1, segment);
        if (number != inOrder + 1) {
            return Outcome.KEPT;
        }
        while (has(inOrder + 1)) {
            inOrder++;
            if (isLast(inOrder)) {
                complete = true;
                return Outcome.COMPLETE;
            }
        }
        if (inOrder < windowLast) {
            return Outcome.KEPT;
        }
        windowLast += window;
        return Outcome.KEPT_AND_ACK;
    }

    private MemorySegment segment(int number) {
        byte[] segment = segments.get(number - 1);
        if (segment == null) {
            throw new IllegalStateException("segment " + number + " is missing");
        }
        return MemorySegment.ofArray(segment);
    }

    private boolean isLast(int number) {
        return (Rmpp.FLAGS.getInt(segment(number), Rmpp.OFFSET) & Rmpp.LAST) != 0;
    }

    /** {@return the last segment in order, for an ACK that is sent now} */
    public int acknowledgeNow() {
        acknowledged = inOrder;
        return acknowledged;
    }

    /** {@return the last segment that the sender may send} */
    public int windowLast() {
        return windowLast;
    }

    /** {@return true once all segments were received} */
    public boolean isComplete() {
        return complete;
    }

    /** {@return length of a complete message: headers once, and the data of all segments without padding} */
    public int lengthBytes() {
        int dataBytes = Mad.BYTES - headerBytes;
        long payload = Rmpp.PAYLOAD_LENGTH.get(segment(inOrder), Rmpp.OFFSET);
        long pad = Mad.BYTES - Rmpp.PAYLOAD_OFFSET - payload;
        boolean plausible = pad >= 0 && pad <= dataBytes;
        return headerBytes + inOrder * dataBytes - (plausible ? (int) pad : 0);
    }

    /** {@return the first segment of an incomplete message} */
    public MemorySegment first() {
        return segment(1);
    }

    /** {@return the segments of a complete message, which belong to the caller then} */
    public List<byte[]> takeMessage() {
        List<byte[]> message = new ArrayList<>(inOrder);
        for (int i = 0; i < inOrder; i++) {
            byte[] segment = segments.set(i, null);
            if (segment != null) {
                message.add(segment);
            }
        }
        return message;
    }

    /** {@return all segments that are left, which belong to the caller then} */
    public List<byte[]> takeRest() {
        List<byte[]> rest = new ArrayList<>();
        for (byte[] segment : segments) {
            if (segment != null) {
                rest.add(segment);
            }
        }
        segments.clear();
        return rest;
    }

    /** {@return segments of the response that the requester accepts before its first ACK} */
    public int replyWindow() {
        return replyWindow;
    }

    /**
     * Sets the window of the response (ACK of segment 0 after a complete request).
     *
     * @param granted NewWindowLast of the ACK
     */
    public void grant(int granted) {
        replyWindow = granted;
    }
}
