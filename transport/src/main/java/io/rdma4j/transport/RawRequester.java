package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.SignalType;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.Ring;
import io.rdma4j.verbs.queue.SendHeader;
import io.rdma4j.verbs.queue.SendQueue;
import java.lang.foreign.MemorySegment;

/**
 * Makes packets of the requests of a raw queue pair: nothing is added, and nothing is copied, because the buffer's fragments point
 * into registered memory. So a request completes when its buffer is freed; links free buffers in the order they got them.
 */
final class RawRequester {
    private final RawEngine qp;
    private final boolean signalsAll;
    private final SendQueue queue;
    private final Ring ring;
    private final MemorySegment wqes;
    private final CompletionRing completions;
    private final SgeCursor cursor;

    /** The request at hand: the next one, or the one that completes. */
    private final SendHeader request = new SendHeader();

    private final BufferWatch underWay = new BufferWatch(_ -> onLeft());

    /** Slot of the request to send next; those from the consumer's up to it are under way. */
    private int next;

    RawRequester(RawEngine qp, QpQueues queues, Object protectionDomain, SignalType signalType) {
        this.qp = qp;
        this.signalsAll = signalType == SignalType.ALL_WR;
        this.queue = queues.sendQueue();
        this.ring = queue.ring();
        this.wqes = ring.memory();
        this.completions = queues.sendCompletions();
        this.cursor = new SgeCursor(qp.context().keys(), protectionDomain, 0);
    }

    /** Links free buffers in the order they got them: this is the oldest request's. */
    private void onLeft() {
        completeOldest(WcStatus.SUCCESS);
        qp.port().sendable();
    }

    /** Forgets every request. */
    void reset() {
        next = ring.acquireProducer();
        ring.publishConsumer(next);
        underWay.renew();
    }

    /** The device can do no more: the oldest request ends so. */
    void breakDown(WcStatus status) {
        if (ring.ownConsumer() != ring.acquireProducer()) {
            completeOldest(status);
        }
    }

    /** Completes everything posted with a flush error. */
    void flush() {
        if (ring.ownConsumer() != ring.acquireProducer()) {
            underWay.renew();
        }
        while (ring.ownConsumer() != ring.acquireProducer()) {
            completeOldest(WcStatus.WR_FLUSH_ERR);
        }
    }

    /** Sends the next request; false if there is nothing to do until an event: a request, or a buffer that was freed. */
    boolean send() {
        if (next == ring.acquireProducer()) {
            return false;
        }
        request.read(wqes, ring.offset(next));
        WcStatus status = validate();
        if (status != WcStatus.SUCCESS) {
            return fail(status);
        }
        SkBuff skb = qp.port().allocate();
        if (skb == null) {
            return false;
        }
        status = fill(skb);
        if (status != WcStatus.SUCCESS) {
            skb.free();
            return fail(status);
        }
        next = ring.next(next);
        underWay.add(skb);
        qp.port().transmit(skb);
        return true;
    }

    /** What is wrong with a request; the client's ring is not trusted. */
    private WcStatus validate() {
        int numSge = request.numSge();
        boolean sound = request.opcode() == WrOpcode.SEND.code()
                && numSge >= 0
                && numSge <= queue.maxSge()
                && (!request.hasFlag(SendFlag.INLINE) || request.length() <= queue.maxInlineData());
        if (!sound) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        return request.length() <= qp.port().maxBytes() ? WcStatus.SUCCESS : WcStatus.LOC_LEN_ERR;
    }

    private WcStatus fill(SkBuff skb) {
        int length = (int) request.length();
        if (request.hasFlag(SendFlag.INLINE)) {
            if (length > 0) {
                skb.addFrag(wqes, request.data(), length);
            }
        } else {
            cursor.begin(wqes, request.data(), request.numSge());
            if (!cursor.gather(skb, length)) {
                return WcStatus.LOC_PROT_ERR;
            }
        }
        return qp.port().carries(skb) ? WcStatus.SUCCESS : WcStatus.LOC_QP_OP_ERR;
    }

    /** The request fails once all before it have completed; until then it is come upon again and again. Always false. */
    private boolean fail(WcStatus status) {
        if (next == ring.ownConsumer()) {
            completeOldest(status);
            qp.enterSendError();
        }
        return false;
    }

    private void completeOldest(WcStatus status) {
        int slot = ring.ownConsumer();
        request.read(wqes, ring.offset(slot));
        boolean signaled = signalsAll || request.hasFlag(SendFlag.SIGNALED);
        CompletionEntry entry = qp.poster().begin(request.wrId(), status, WcOpcode.SEND);
        entry.byteLength = (int) request.length();
        if (status == WcStatus.SUCCESS) {
            qp.context().counters().sends++;
        }
        if (slot == next) {
            next = ring.next(next);
        }
        // Before the completion: whoever polls it may count on the slot.
        ring.publishConsumer(ring.next(slot));
        if ((signaled || status != WcStatus.SUCCESS) && !qp.poster().post(completions, entry, false)) {
            qp.enterError();
        }
    }
}
