// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.IpoibChecksums;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.memory.SgeCursor;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.wr.SendFlag;
import java.lang.foreign.MemorySegment;

/**
 * Adds the payload of request packets behind their headers, as fragments that point into registered memory, or into the
 * send queue for inline data. Keeps the position in the list of segments, so that a message of many trains is not
 * traversed from the start for each train.
 */
final class RequestPayload {
    private static final int NO_SLOT = -1;

    private final SendWindow window;
    private final SgeCursor cursor;

    /** The request, and the packet of it, at which the cursor stands. */
    private int slot = NO_SLOT;

    private int psn;

    RequestPayload(QpCore qp, SendWindow window) {
        this.window = window;
        this.cursor = new SgeCursor(qp.keys(), qp.protectionDomain(), 0);
    }

    /** Invalidates the position of the cursor. */
    void leavePlace() {
        slot = NO_SLOT;
    }

    /** Notes that what was gathered last has been sent: the cursor stands at the window's next packet. */
    void sent() {
        psn = window.psn();
    }

    /**
     * Appends the next {@code bytes} of the current message; false if their memory is not accessible, or has too many
     * segments.
     */
    boolean gather(SkBuff skb, SendHeader request, int bytes) {
        if (request.hasFlag(SendFlag.INLINE)) {
            leavePlace();
            if (bytes > 0) {
                skb.addFrag(window.memory().bytes(), request.data() + window.bytesSent(), bytes);
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

    /**
     * Appends a message of one packet if it fits into one free fragment; otherwise returns false and nothing happens.
     */
    boolean gatherAsOne(SkBuff skb, SendHeader request, int bytes) {
        if (request.hasFlag(SendFlag.INLINE)) {
            return skb.shinfo().fragCount() < SkBuff.MAX_FRAGS && gather(skb, request, bytes);
        }
        leavePlace();
        begin(request);
        return cursor.gatherAsOne(skb, bytes);
    }

    /**
     * Appends a datagram whose checksums are inserted. The bytes up to the checksums are copied behind the headers,
     * where the buffer's own memory has room, because the application's memory must not be changed.
     */
    boolean gatherWithChecksums(SkBuff skb, SendHeader request, int bytes) {
        int head = Math.min(bytes, IpoibChecksums.HEAD_BYTES);
        int at = skb.tail();
        leavePlace();
        begin(request);
        boolean inline = request.hasFlag(SendFlag.INLINE);
        if (inline) {
            MemorySegment.copy(window.memory().bytes(), request.data(), skb.memory(), at, head);
        } else if (!cursor.copy(skb.memory(), at, head)) {
            return false;
        }
        skb.addFrag(skb.memory(), at, head);
        int rest = bytes - head;
        if (inline && rest > 0) {
            skb.addFrag(window.memory().bytes(), request.data() + head, rest);
        }
        return (inline || cursor.gather(skb, rest)) && IpoibChecksums.insert(skb, at);
    }

    private void begin(SendHeader request) {
        cursor.begin(window.memory(), request.data(), request.numSge());
    }
}
