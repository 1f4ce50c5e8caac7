package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.Ring;
import java.lang.foreign.MemorySegment;

/** The receive request that the message under way goes into: the head of the receive queue, and how far it is filled. */
final class ReceiveSlot {
    private final ReceiveQueue queue;
    private final Ring ring;
    private final MemorySegment memory;
    private final SgeCursor cursor;

    private long received;

    ReceiveSlot(ReceiveQueue queue, MemoryKeys keys, Object protectionDomain) {
        this.queue = queue;
        this.ring = queue.ring();
        this.memory = queue.memory();
        this.cursor = new SgeCursor(keys, protectionDomain, AccessFlag.LOCAL_WRITE.bit());
    }

    /** Takes the head of the queue for a message: PASS, or why there is none; the client's ring is not trusted. */
    Verdict take() {
        if (isEmpty()) {
            return Verdict.RECEIVER_NOT_READY;
        }
        int numSge = ReceiveQueue.numSge(memory, wqe());
        if (numSge < 0 || numSge > queue.maxSge()) {
            return Verdict.RECEIVE_MALFORMED;
        }
        cursor.begin(memory, ReceiveQueue.sge(wqe(), 0), numSge);
        received = 0;
        return Verdict.PASS;
    }

    /** True if no request is posted. */
    boolean isEmpty() {
        return ring.ownConsumer() == ring.acquireProducer();
    }

    /** Bytes that still fit. */
    long room() {
        return Integer.toUnsignedLong(ReceiveQueue.length(memory, wqe())) - received;
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
    boolean scatter(MemorySegment source, long from, int length) {
        if (!cursor.scatter(source, from, length)) {
            return false;
        }
        received += length;
        return true;
    }

    /** The application's number for the request. */
    long wrId() {
        return ReceiveQueue.wrId(memory, wqe());
    }

    /** Gives the request's slot back to the application. */
    void release() {
        ring.publishConsumer(ring.next(ring.ownConsumer()));
    }

    /** Forgets all posted requests. */
    void reset() {
        ring.publishConsumer(ring.acquireProducer());
    }

    private long wqe() {
        return ring.offset(ring.ownConsumer());
    }
}
