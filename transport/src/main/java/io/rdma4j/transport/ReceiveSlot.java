package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.SgeLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The receive request that the message under way goes into, how far it is filled, and how it completes.
 *
 * <p>A request that was taken stays until it completes: a message of an unreliable service that is dropped half-way leaves
 * it to the next one.
 */
final class ReceiveSlot {
    private static final MemorySegment NO_ROOM = MemorySegment.NULL;

    private final SgeCursor cursor;
    private final CompletionPoster poster;

    private ReceiveSource source;
    private boolean held;
    private MemorySegment memory = NO_ROOM;
    private int maxSge;
    private long received;

    /** What the request says: read once, since the client can still write into its ring. */
    private long wrId;

    private int numSge;
    private long length;
    private long pieces;

    /** Where requests of shared queues are copied to. */
    private MemorySegment room = NO_ROOM;

    ReceiveSlot(ReceiveSource source, MemoryKeys keys, CompletionPoster poster) {
        this.source = source;
        this.poster = poster;
        this.cursor = new SgeCursor(keys, source.protectionDomain(), AccessFlag.LOCAL_WRITE.bit());
    }

    /** From now on takes from {@code next}; nothing is held. */
    void source(ReceiveSource next) {
        source = next;
        cursor.protectionDomain(next.protectionDomain());
    }

    /** Takes a request, if it has none; false if none is posted. */
    boolean hold() {
        held = held || source.take(this);
        return held;
    }

    /** Takes a request for a message: PASS, or why there is none; the client's ring is not trusted. */
    Verdict take() {
        if (!hold()) {
            return source.isBroken() ? Verdict.MEMORY_FAULT : Verdict.RECEIVER_NOT_READY;
        }
        received = 0;
        if (numSge < 0 || numSge > maxSge) {
            return Verdict.RECEIVE_MALFORMED;
        }
        cursor.begin(memory, pieces, numSge);
        return Verdict.PASS;
    }

    /** The source's element, in place. */
    void point(MemorySegment at, long element, int sgeLimit) {
        long sizes = ReceiveQueue.sizes(at, element);
        memory = at;
        maxSge = sgeLimit;
        wrId = ReceiveQueue.wrId(at, element);
        numSge = ReceiveQueue.numSge(sizes);
        length = ReceiveQueue.length(sizes);
        pieces = ReceiveQueue.sge(element, 0);
    }

    /** Memory that an element of so many bytes is copied to; grows with the largest one ever met, once. */
    MemorySegment room(int bytes) {
        if (room.byteSize() < bytes) {
            room = Arena.ofAuto().allocate(bytes, SgeLayout.BYTES);
        }
        return room;
    }

    /** The element that was copied to {@link #room}. */
    void pointAtRoom(int bytes) {
        point(room, 0, (int) ((bytes - ReceiveQueue.sge(0, 0)) / SgeLayout.BYTES));
    }

    /** True if a request was taken and has not completed. */
    boolean isHeld() {
        return held;
    }

    /** Requests that wait for this queue pair alone, the one that is held included. */
    int ownWaiting() {
        return source.ownWaiting();
    }

    /** True if requests come from a shared queue. */
    boolean isShared() {
        return source.isShared();
    }

    /** Bytes that still fit. */
    long bytesLeft() {
        return length - received;
    }

    /** Bytes of the message so far. */
    long received() {
        return received;
    }

    /** Copies the next bytes of the message; false as {@link SgeCursor#scatter} says. */
    boolean scatter(SkBuff skb, int from, int length) {
        if (!cursor.scatter(skb, from, length)) {
            return false;
        }
        received += length;
        return true;
    }

    /** Copies bytes that the device adds to the message. */
    boolean scatter(MemorySegment bytes, long from, int length) {
        if (!cursor.scatter(bytes, from, length)) {
            return false;
        }
        received += length;
        return true;
    }

    /** A completion for the request that is held. */
    CompletionEntry completion(WcStatus status, WcOpcode opcode) {
        return poster.begin(wrId, status, opcode);
    }

    /** Gives the request that is held back to the application, and posts its completion; false if that could not be posted. */
    boolean complete(CompletionEntry entry, boolean solicited) {
        held = false;
        source.release();
        return poster.post(source.completions(), entry, solicited);
    }

    /** Completes every request that is this queue pair's alone with a flush error. */
    void flush() {
        while (held || source.ownWaiting() > 0 && hold()) {
            complete(completion(WcStatus.WR_FLUSH_ERR, WcOpcode.RECV), false);
        }
    }

    /** Forgets all requests of this queue pair. */
    void reset() {
        held = false;
        source.reset();
    }
}
