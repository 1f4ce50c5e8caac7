// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.EngineCore;
import io.rdma4j.transport.memory.SgeCursor;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.RawPort;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.Ring;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;

/**
 * Makes packets of the requests of a raw queue pair: nothing is added and nothing is copied, because the buffer's
 * fragments point into registered memory. A request therefore completes when its buffer is freed. Links free buffers in
 * the order in which they received them.
 */
public final class RawRequester {
    private final EngineCore qp;
    private final RawPort port;
    private final boolean signalsAll;
    private final SendQueue queue;
    private Ring ring;
    private final CompletionRing completions;
    private final SgeCursor cursor;

    /** The current request: the next one, or the one that completes. */
    private final SendHeader request = new SendHeader();

    private final BufferWatch underWay = new BufferWatch(_ -> onLeft());

    /** Slot of the request to send next; those from the consumer's slot up to it are in flight. */
    private int next;

    public RawRequester(EngineCore qp, RawPort port, QpQueues queues, Object protectionDomain, SignalType signalType) {
        this.qp = qp;
        this.port = port;
        this.signalsAll = signalType == SignalType.ALL_WR;
        this.queue = queues.sendQueue();
        this.ring = queue.ring();
        this.completions = queues.sendCompletions();
        this.cursor = new SgeCursor(qp.keys(), protectionDomain, 0);
    }

    /** Completes the oldest request: links free buffers in the order in which they received them. */
    private void onLeft() {
        completeOldest(WcStatus.SUCCESS);
        port.sendable();
    }

    /** Discards all requests. */
    public void reset() {
        queue.clear();
        ring = queue.ring();
        next = ring.distance(ring.ownConsumer(), 0);
        underWay.renew();
    }

    /** Ends the oldest request with {@code status}: the device cannot continue. */
    public void breakDown(WcStatus status) {
        if (ring.ownConsumer() != ring.acquireProducer()) {
            completeOldest(status);
        }
    }

    /** Completes everything posted with a flush error. */
    public void flush() {
        if (ring.ownConsumer() != ring.acquireProducer()) {
            underWay.renew();
        }
        do {
            while (ring.ownConsumer() != ring.acquireProducer()) {
                completeOldest(WcStatus.WR_FLUSH_ERR);
            }
        } while (moveOn());
    }

    /** Moves on to the ring of a resize, if all requests in the old one are completed. */
    private boolean moveOn() {
        if (!queue.moveOn()) {
            return false;
        }
        ring = queue.ring();
        next = ring.distance(ring.ownConsumer(), 0);
        return true;
    }

    /** Sends the next request; false if there is nothing to do until an event: a request, or a freed buffer. */
    public boolean send() {
        if (next == ring.acquireProducer() && (!moveOn() || next == ring.acquireProducer())) {
            return false;
        }
        request.read(ring.memory(), ring.offset(next));
        WcStatus status = validate();
        if (status != WcStatus.SUCCESS) {
            return fail(status);
        }
        SkBuff skb = port.allocate();
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
        port.transmit(skb);
        return true;
    }

    /** The status with which an invalid request fails, or SUCCESS; the client's ring is not trusted. */
    private WcStatus validate() {
        int numSge = request.numSge();
        boolean sound = request.opcode() == WrOpcode.SEND.code()
                && numSge >= 0
                && numSge <= queue.maxSge()
                && (!request.hasFlag(SendFlag.INLINE) || request.length() <= queue.maxInlineData());
        if (!sound) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        return request.length() <= port.maxBytes() ? WcStatus.SUCCESS : WcStatus.LOC_LEN_ERR;
    }

    private WcStatus fill(SkBuff skb) {
        int length = (int) request.length();
        if (request.hasFlag(SendFlag.INLINE)) {
            if (length > 0) {
                skb.addFrag(ring.memory().bytes(), request.data(), length);
            }
        } else {
            cursor.begin(ring.memory(), request.data(), request.numSge());
            if (!cursor.gather(skb, length)) {
                return WcStatus.LOC_PROT_ERR;
            }
        }
        return port.carries(skb) ? WcStatus.SUCCESS : WcStatus.LOC_QP_OP_ERR;
    }

    /**
     * Fails the request once all before it have completed; until then every attempt to send it calls this method again.
     * Always returns false.
     */
    private boolean fail(WcStatus status) {
        if (next == ring.ownConsumer()) {
            completeOldest(status);
            qp.control().enterSendError();
        }
        return false;
    }

    private void completeOldest(WcStatus status) {
        int slot = ring.ownConsumer();
        request.read(ring.memory(), ring.offset(slot));
        boolean signaled = signalsAll || request.hasFlag(SendFlag.SIGNALED);
        CompletionEntry entry = qp.completion(request.wrId(), status, WcOpcode.SEND);
        entry.byteLength = (int) request.length();
        if (status == WcStatus.SUCCESS) {
            qp.counters().sends++;
        }
        if (slot == next) {
            next = ring.next(next);
        }
        // Before the completion, because the polling thread may rely on the free slot.
        ring.publishConsumer(ring.next(slot));
        if ((signaled || status != WcStatus.SUCCESS) && !qp.post(completions, entry, false)) {
            qp.control().enterError();
        }
    }
}
