// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Deadline;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.RetryTimers.Timer;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.transport.port.LinkWriter;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcFlag;

/**
 * Sends requests through a link ring to a peer in another process, and completes them when the peer has executed them.
 * The {@link SendWindow} keeps what is in flight, as for packets: so the {@link Requester} can send it as packets at
 * any time. While messages are in the ring, nothing else is sent, and before the first one nothing is in flight. The
 * caller owns the engine.
 *
 * <p>The retransmission timer watches the peer: if it executes nothing for the ACK timeout, packets follow.
 */
final class RingSender {
    private final QpCore qp;
    private final SendState state;
    private final SendWindow window;
    private final LinkMessages next;
    private final CompletionRing completions;

    /** Messages are in the ring that the peer has not executed, as far as is known. */
    private boolean pending;

    /** The retransmission timer, if it is armed, was armed for the ring; and the first message in it by then. */
    private boolean watching;

    private int watchedPsn;

    /** The owner of the loop has to raise an event, because of messages that were stored. */
    private boolean isEventDue;

    RingSender(QpCore qp, SendState state, CompletionRing completions) {
        this.qp = qp;
        this.state = state;
        this.window = state.window;
        this.next = new LinkMessages(qp, window);
        this.completions = completions;
    }

    boolean isPending() {
        return pending;
    }

    /** True if the first message may be written. */
    boolean isQuiet() {
        return state.isQuiet() && (state.timers.areIdle() || watching && !state.timers.isArmed(Timer.RNR));
    }

    /**
     * See {@link SendSide#deliver(LinkWriter, LinkDelivery, boolean)}. One long method, which the compiler does not
     * inline: all that a message needs then fits into the compiler's limits for depth and size.
     */
    boolean deliver(LinkWriter out, LinkDelivery link, boolean inLoop) {
        LinkMessage message = link.message();
        window.look();
        if (pending && window.isHalfFull()) {
            // A program whose requests are not signaled may poll seldom.
            isEventDue |= !complete(out, link);
        }
        // A posting thread writes to a closed ring, too: complete reports that it is closed.
        boolean open = !(inLoop && out.isClosed()) && (pending ? state.isPlain() : isQuiet());
        try {
            while (open && window.hasCurrent() && qp.startsRequests()) {
                WireOperation operation = next.read(link, inLoop, LinkMessage.MAX_STORED_BYTES);
                if (operation == null) {
                    break;
                }
                boolean isStored =
                        operation == WireOperation.RDMA_WRITE && mayStore(out, link, inLoop) && store(out, link);
                if (!isStored) {
                    boolean isShort = message.length <= LinkMessage.MAX_BYTES;
                    if (!isShort || !out.write(message) && !writeBehindExecuted(out, link)) {
                        break;
                    }
                    qp.trace().request(qp.qpn(), operation.request(), message.length);
                    window.sendCurrent(message.packets, message.length);
                    pending = true;
                }
                link.countSent();
            }
        } catch (IllegalStateException | InternalError gone) {
            // The application has closed memory that it still uses: the packet path finds it, too, and decides.
            next.leavePlace();
        }
        boolean eventIsDue = isEventDue;
        isEventDue = false;
        if (!pending) {
            return !eventIsDue && !window.hasCurrent();
        }
        // What does not fit, or is no message, waits until the ring is empty.
        return !eventIsDue && open && isWatched();
    }

    private boolean isWatched() {
        return qp.connection().ackTimeoutNs() == 0 || state.timers.isArmed(Timer.RETRANSMIT);
    }

    /** Completes executed requests, so that the ring has room for the message. */
    private boolean writeBehindExecuted(LinkWriter out, LinkDelivery link) {
        isEventDue |= !complete(out, link);
        return out.write(link.message());
    }

    /** True if nothing is in flight; completes executed requests before. */
    private boolean mayStore(LinkWriter out, LinkDelivery link, boolean inLoop) {
        if (pending) {
            isEventDue |= !complete(out, link);
            return !pending && next.read(link, inLoop, LinkMessage.MAX_STORED_BYTES) != null;
        }
        return true;
    }

    /** Stores the message of the link into the memory of the peer, and completes it. Nothing is in flight. */
    private boolean store(LinkWriter out, LinkDelivery link) {
        LinkMessage message = link.message();
        SendHeader request = link.request();
        if (!qp.signalsAll() && !request.hasFlag(SendFlag.SIGNALED)) {
            return out.store(message) && pass(message, link);
        }
        completions.lock();
        try {
            if (!completions.hasRoom(1) || !out.store(message)) {
                return false;
            }
            complete(request, WireOperation.RDMA_WRITE, message.length);
            return pass(message, link);
        } finally {
            isEventDue |= completions.publish();
            completions.unlock();
        }
    }

    private boolean pass(LinkMessage message, LinkDelivery link) {
        qp.trace().request(qp.qpn(), WireOperation.RDMA_WRITE.request(), message.length);
        window.pass(message.packets);
        link.countStore();
        link.countCompleted();
        return true;
    }

    private void complete(SendHeader request, WireOperation operation, int length) {
        int flags = operation.carriesImmediate() ? WcFlag.WITH_IMM.bit() : 0;
        completions.append(request.wrId(), operation.request().completion(), length, qp.qpn(), 0, flags, false);
    }

    /** See {@link SendSide#complete(LinkWriter, LinkDelivery)}. */
    boolean complete(LinkWriter out, LinkDelivery link) {
        boolean eventIsDue = false;
        if (out.acknowledged() && pending && window.acknowledge(out.acknowledgedPsn())) {
            completions.lock();
            try {
                completeExecuted(link);
            } finally {
                eventIsDue = completions.publish();
                completions.unlock();
            }
        }
        pending = pending && window.hasUnacked();
        // Without room for a completion, the owner of the loop reports the overrun.
        return !eventIsDue && !window.isOldestAcknowledged() && !(pending && out.isClosed());
    }

    private void completeExecuted(LinkDelivery link) {
        SendHeader request = link.request();
        while (window.isOldestAcknowledged()) {
            request.read(window.memory(), window.oldestWqe());
            boolean signaled = qp.signalsAll() || request.hasFlag(SendFlag.SIGNALED);
            if (signaled && !completions.hasRoom(1)) {
                return;
            }
            int length = (int) window.oldestLength();
            window.releaseOldest();
            link.countCompleted();
            WireOperation operation = WireOperation.of(request.opcode());
            if (signaled && operation != null) {
                complete(request, operation, length);
            }
        }
    }

    /** Arms the watch over the peer if messages are in the ring. By the owner of the loop. */
    void watch(long nowNs) {
        if (pending && !isWatched()) {
            watching = true;
            watchedPsn = window.unackedPsn();
            state.timers.arm(
                    Timer.RETRANSMIT, Deadline.after(nowNs, qp.connection().ackTimeoutNs()));
        }
    }

    /** Ends the watch, because packets are sent. */
    void stopWatch() {
        if (watching) {
            watching = false;
            state.timers.cancel(Timer.RETRANSMIT);
        }
    }

    /** Handles that the retransmission timer has expired; true if that is no timeout of a packet or message. */
    boolean isInTime(long nowNs) {
        if (pending && window.unackedPsn() != watchedPsn) {
            watch(nowNs);
            return true;
        }
        watching = false;
        leave();
        return false;
    }

    /** Leaves the ring: what the peer has not executed will be sent as packets. */
    void leave() {
        if (pending) {
            pending = false;
            window.goBackTo(window.unackedPsn());
        }
    }
}
