// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.CompletionPoster;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.SgeCursor;
import io.rdma4j.transport.port.ReceiveSource;
import io.rdma4j.transport.port.ReceiveWqe;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;

/**
 * The receive request of the current message, how far it is filled, and how it completes.
 *
 * <p>A request that was taken stays until it completes: a message of an unreliable service that is dropped halfway
 * leaves it to the next one.
 */
public final class ReceiveSlot {
    private final SgeCursor cursor;
    private final CompletionPoster poster;
    private final ReceiveWqe request = new ReceiveWqe();

    private ReceiveSource source;
    private boolean held;
    private long received;

    public ReceiveSlot(ReceiveSource source, KeyTable keys, CompletionPoster poster) {
        this.source = source;
        this.poster = poster;
        this.cursor = new SgeCursor(keys, source.protectionDomain(), AccessFlag.LOCAL_WRITE.bit());
    }

    /** Sets the source of the next requests; no request is held. */
    void source(ReceiveSource next) {
        source = next;
        cursor.protectionDomain(next.protectionDomain());
    }

    /** Takes a request, if it has none; false if none is posted. */
    boolean hold() {
        held = held || source.take(request);
        return held;
    }

    /** Takes a request for a message: PASS, or the reason why there is none; the client's ring is not trusted. */
    public Verdict take() {
        if (!hold()) {
            return source.isBroken() ? Verdict.MEMORY_FAULT : Verdict.RECEIVER_NOT_READY;
        }
        received = 0;
        if (!request.isSound()) {
            return Verdict.RECEIVE_MALFORMED;
        }
        request.open(cursor);
        return Verdict.PASS;
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
        return request.length() - received;
    }

    /** Bytes of the message so far. */
    long received() {
        return received;
    }

    /** Copies the next bytes of the message; false under the conditions of {@link SgeCursor#scatter}. */
    public boolean scatter(SkBuff skb, int from, int length) {
        if (!cursor.scatter(skb, from, length)) {
            return false;
        }
        received += length;
        return true;
    }

    /** Copies bytes that are no part of a packet; false under the conditions of {@link SgeCursor#scatter}. */
    public boolean scatter(MemorySegment bytes, long from, int length, boolean inLoop) {
        if (!cursor.scatter(bytes, from, length, inLoop)) {
            return false;
        }
        received += length;
        return true;
    }

    /** A completion for the request that is held. */
    public CompletionEntry completion(WcStatus status, WcOpcode opcode) {
        return poster.begin(request.wrId(), status, opcode);
    }

    /** Returns the held request to the application and posts its completion; false if that could not be posted. */
    public boolean complete(CompletionEntry entry, boolean solicited) {
        held = false;
        source.release();
        return poster.post(source.completions(), entry, solicited);
    }

    /** The completion queue of the requests. */
    CompletionRing completions() {
        return source.completions();
    }

    /** Returns the held request to the application. The caller appends its completion. Returns its {@code wr_id}. */
    long release() {
        held = false;
        source.release();
        return request.wrId();
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
