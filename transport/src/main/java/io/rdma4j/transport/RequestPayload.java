package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.queue.SendHeader;
import java.lang.foreign.MemorySegment;

/**
 * Puts the payload of request packets behind their headers, as fragments that point into registered memory, or into the send queue
 * for inline data. Keeps the place in the list of pieces, so that a message of many trains is not gone through anew for each.
 */
final class RequestPayload {
    private static final int NO_SLOT = -1;

    private final SendWindow window;
    private final MemorySegment wqes;
    private final SgeCursor cursor;

    /** The request, and the packet of it, that the cursor stands at. */
    private int slot = NO_SLOT;

    private int psn;

    RequestPayload(QpEngine qp, SendWindow window) {
        this.window = window;
        this.wqes = window.memory();
        this.cursor = new SgeCursor(qp.keys(), qp.protectionDomain(), 0);
    }

    /** The cursor does not stand where the next packet begins, whatever that is. */
    void leavePlace() {
        slot = NO_SLOT;
    }

    /** What was gathered last has been sent: the packet behind it is the window's next. */
    void sent() {
        psn = window.psn();
    }

    /** Appends the next {@code bytes} of the current message; false if their memory is not there, or in too many pieces. */
    boolean gather(SkBuff skb, SendHeader request, int bytes) {
        if (request.hasFlag(SendFlag.INLINE)) {
            leavePlace();
            if (bytes > 0) {
                skb.addFrag(wqes, request.data() + window.bytesSent(), bytes);
            }
            return true;
        }
        if (slot != window.currentSlot() || psn != window.psn()) {
            begin(request);
            cursor.skip(window.bytesSent());
            slot = window.currentSlot();
        }
        return cursor.gather(skb, bytes);
    }

    /** Appends a message that is one packet, if it makes one fragment and there is room for that; else nothing happens, and it is false. */
    boolean gatherAsOne(SkBuff skb, SendHeader request, int bytes) {
        if (request.hasFlag(SendFlag.INLINE)) {
            return skb.fragCount() < SkBuff.MAX_FRAGS && gather(skb, request, bytes);
        }
        leavePlace();
        begin(request);
        return cursor.gatherAsOne(skb, bytes);
    }

    /** Points a message at its payload, at least one byte, if that lies in one piece; otherwise as {@link #gatherAsOne}. */
    boolean point(WholeMessage message, SendHeader request, int bytes) {
        leavePlace();
        if (request.hasFlag(SendFlag.INLINE)) {
            message.payload(wqes, request.data());
            return true;
        }
        begin(request);
        return cursor.point(message, bytes);
    }

    /**
     * Appends a datagram whose checksums are inserted: the bytes that they are among are copied behind the headers, where the
     * buffer's own memory has room, since those of the application are not to be touched.
     */
    boolean gatherWithChecksums(SkBuff skb, SendHeader request, int bytes) {
        int head = Math.min(bytes, IpoibChecksums.HEAD_BYTES);
        int at = skb.tail();
        leavePlace();
        begin(request);
        boolean inline = request.hasFlag(SendFlag.INLINE);
        if (inline) {
            MemorySegment.copy(wqes, request.data(), skb.memory(), at, head);
        } else if (!cursor.copy(skb.memory(), at, head)) {
            return false;
        }
        skb.addFrag(skb.memory(), at, head);
        int rest = bytes - head;
        if (inline && rest > 0) {
            skb.addFrag(wqes, request.data() + head, rest);
        }
        return (inline || cursor.gather(skb, rest)) && IpoibChecksums.insert(skb, at);
    }

    private void begin(SendHeader request) {
        cursor.begin(wqes, request.data(), request.numSge());
    }
}
