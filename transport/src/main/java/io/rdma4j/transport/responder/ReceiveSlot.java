// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.EngineCore;
import io.rdma4j.transport.memory.RecentRegion;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.transport.memory.SgeCursor;
import io.rdma4j.transport.memory.ShortCopy;
import io.rdma4j.transport.port.ReceiveSource;
import io.rdma4j.transport.port.ReceiveWqe;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SgeLayout;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The receive request of the current message, how far it is filled, and how it completes.
 *
 * <p>A request that was taken stays until it completes: a message of an unreliable service that is dropped halfway
 * leaves it to the next one.
 */
public final class ReceiveSlot extends ReceiveWqe {
    private static final int ACCESS = AccessFlag.LOCAL_WRITE.bit();

    private final EngineCore qp;
    private ReceiveSource source;

    /** Null until a message arrives in packets, or for several segments. */
    private @Nullable SgeCursor cursor;

    /** The region of the last message that arrived as a whole; null if it has to be looked up. */
    private @Nullable RecentRegion recent;

    private long received;
    private boolean held;

    /** The cursor is at the next byte of the message. */
    private boolean isCursorOpen;

    public ReceiveSlot(ReceiveSource source, EngineCore qp) {
        this.source = source;
        this.qp = qp;
    }

    /** Sets the source of the next requests; no request is held. */
    void source(ReceiveSource next) {
        source = next;
        recent = null;
        if (cursor != null) {
            cursor.protectionDomain(next.protectionDomain());
        }
    }

    private SgeCursor cursor() {
        SgeCursor made = cursor;
        if (made == null) {
            made = new SgeCursor(qp.keys(), source.protectionDomain(), ACCESS);
            cursor = made;
        }
        if (!isCursorOpen) {
            open(made);
            made.skip(received);
            isCursorOpen = true;
        }
        return made;
    }

    /** Takes a request, if it has none; false if none is posted. */
    boolean hold() {
        held = held || source.take(this);
        return held;
    }

    /** Takes a request for a message: PASS, or the reason why there is none; the client's ring is not trusted. */
    public Verdict take() {
        if (!hold()) {
            return source.isBroken() ? Verdict.MEMORY_FAULT : Verdict.RECEIVER_NOT_READY;
        }
        received = 0;
        isCursorOpen = false;
        return isSound() ? Verdict.PASS : Verdict.RECEIVE_MALFORMED;
    }

    /** True if a request was taken and has not completed. */
    public boolean isHeld() {
        return held;
    }

    /** Number of requests in the queue pair's own queue, including the one that is held. */
    int ownWaiting() {
        return source.ownWaiting();
    }

    /** True if requests come from a shared queue. */
    public boolean isShared() {
        return source.isShared();
    }

    /** Bytes that still fit. */
    public long bytesLeft() {
        return length() - received;
    }

    /** Bytes of the message so far. */
    long received() {
        return received;
    }

    /** Copies the next bytes of the message; false under the conditions of {@link SgeCursor#scatter}. */
    public boolean scatter(SkBuff skb, int from, int length) {
        if (!cursor().scatter(skb, from, length)) {
            return false;
        }
        received += length;
        return true;
    }

    /** Copies bytes that are no part of a packet; false under the conditions of {@link SgeCursor#scatter}. */
    public boolean scatter(MemorySegment bytes, long from, int length, boolean inLoop) {
        boolean isDone = !isCursorOpen && received == 0 && numSge() > 0 && copyAtOnce(bytes, from, length);
        if (!isDone && !cursor().scatter(bytes, from, length, inLoop)) {
            return false;
        }
        received += length;
        return true;
    }

    /** Copies the first bytes of the message into the first segment if they fit, and it is in a usual region. */
    private boolean copyAtOnce(MemorySegment bytes, long from, int length) {
        RingMemory memory = memory();
        long lengthAndKey = SgeLayout.lengthAndKey(memory, segments());
        long address = SgeLayout.address(memory, segments());
        long segmentBytes = SgeLayout.length(lengthAndKey);
        int lkey = SgeLayout.lkey(lengthAndKey);
        RecentRegion region = recent;
        if (length > segmentBytes) {
            return false;
        }
        if (region == null || !region.covers(lkey, address, segmentBytes)) {
            RegionKey key = qp.keys().lookup(source.protectionDomain(), lkey, ACCESS);
            region = key != null && key.contains(address, segmentBytes) && key.admits(address, ACCESS)
                    ? key.recent()
                    : null;
            if (region == null) {
                return false;
            }
            recent = region;
        }
        ShortCopy.copy(bytes, from, region.memory(), region.offset(address), length);
        return true;
    }

    /** A completion for the request that is held. */
    public CompletionEntry completion(WcStatus status, WcOpcode opcode) {
        return qp.completion(wrId(), status, opcode);
    }

    /** Returns the held request to the application and posts its completion; false if that could not be posted. */
    public boolean complete(CompletionEntry entry, boolean solicited) {
        held = false;
        source.release();
        return qp.post(source.completions(), entry, solicited);
    }

    /** The completion queue of the requests. */
    CompletionRing completions() {
        return source.completions();
    }

    /** Returns the held request to the application. The caller appends its completion. Returns its {@code wr_id}. */
    long release() {
        held = false;
        source.release();
        return wrId();
    }

    /** Completes every request of the queue pair's own queue with a flush error. */
    public void flush() {
        while (held || source.ownWaiting() > 0 && hold()) {
            complete(completion(WcStatus.WR_FLUSH_ERR, WcOpcode.RECV), false);
        }
    }

    /** Discards all requests of this queue pair. */
    public void reset() {
        held = false;
        source.reset();
    }
}
