// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Psn;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.RetryTimers.Timer;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.LinkWriter;
import io.rdma4j.transport.responder.Responder;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The send side of a queue pair: the {@link Requester} sends its requests, the {@link Completer} processes the peer's
 * responses. Both work on its {@link SendState}.
 */
public final class SendSide extends SendState {
    private final CompletionRing completions;

    // Each part is null until it is used: a queue pair that has only delivered on a link has no other part.
    private @Nullable Requester requester;
    private @Nullable Completer completer;
    private @Nullable LinkSender link;
    private @Nullable RingSender ring;

    public SendSide(QpCore qp, CompletionRing completions) {
        super(qp);
        this.completions = completions;
    }

    public Completer completer() {
        Completer made = completer;
        if (made == null) {
            made = new Completer(qp, this, completions);
            completer = made;
        }
        return made;
    }

    private Requester requester() {
        Requester made = requester;
        if (made == null) {
            made = new Requester(qp, this, completer());
            requester = made;
        }
        return made;
    }

    /** Handles that attributes were set; those of the connection are applied already. */
    public void apply(QpAttributes changes) {
        if (changes.addressVector() != null) {
            pathRate(changes.addressVector().staticRate());
        }
        if (changes.has(QpAttribute.MAX_QP_RD_ATOMIC)) {
            maxReads(changes.maxRdAtomic());
        }
        if (window.pathMtu() != qp.connection().pathMtuBytes()) {
            window.pathMtu(qp.connection().pathMtuBytes());
        }
        if (qp.connection().ackTimeoutNs() == 0) {
            timers.cancel(Timer.RETRANSMIT);
        }
        if (completer != null && (changes.has(QpAttribute.RETRY_CNT) || changes.has(QpAttribute.RNR_RETRY))) {
            completer.onRetryLimitsChanged();
        }
        if (changes.has(QpAttribute.SQ_PSN)) {
            window.startAt(Psn.of(changes.sqPsn()));
        }
    }

    /** Reads what the posting thread has posted since the last call. */
    public void look() {
        window.look();
    }

    /**
     * Sends requests, up to {@code budget} packets (a little more if a train is sent as a whole).
     *
     * @return packets sent
     */
    public int send(int budget, long nowNs) {
        if (ring != null) {
            if (ring.isPending()) {
                return 0;
            }
            if (window.hasCurrent()) {
                ring.stopWatch();
            }
        }
        int left = budget;
        int sent = 1;
        while (left > 0 && sent > 0 && window.hasCurrent() && qp.sendsRequests()) {
            sent = requester().send(nowNs, left);
            left -= sent;
        }
        return budget - left;
    }

    /**
     * Passes the posted requests to a peer of the same device, without packets, as far as that is possible. The caller
     * owns the engines of both queue pairs.
     *
     * @param peer to which the queue pair is connected
     * @param shared state of the link
     * @param inLoop whether the caller owns the port loop
     * @return true if no request is left, and the owner of the port loop has nothing to do for those before
     */
    public boolean deliver(Responder peer, LinkDelivery shared, boolean inLoop) {
        LinkSender sender = link;
        if (sender == null) {
            sender = new LinkSender(qp, this, completions);
            link = sender;
        }
        return sender.deliver(peer, shared, inLoop);
    }

    /** True if a link ring may begin to carry the requests, of which there are some. */
    public boolean mayUseRing() {
        window.look();
        return window.hasCurrent() && qp.startsRequests() && ringSender().isQuiet();
    }

    private RingSender ringSender() {
        RingSender made = ring;
        if (made == null) {
            made = new RingSender(qp, this, completions);
            ring = made;
        }
        return made;
    }

    /**
     * Writes the posted requests to a link ring, as far as that is possible. The caller owns the engine.
     *
     * @param out the ring
     * @param shared state of the link
     * @param inLoop whether the caller owns the port loop
     * @return false if the owner of the port loop has something to do for the requests
     */
    public boolean deliver(LinkWriter out, LinkDelivery shared, boolean inLoop) {
        return ringSender().deliver(out, shared, inLoop);
    }

    /**
     * Completes the requests that the peer has executed. The caller owns the engine.
     *
     * @param out the ring
     * @param shared state of the link
     * @return false if the owner of the port loop has to raise an event, to report an overrun, or to leave the ring
     */
    public boolean complete(LinkWriter out, LinkDelivery shared) {
        return ringSender().complete(out, shared);
    }

    /** Arms the timer for messages in a link ring. By the owner of the loop. */
    public void watchRing(long nowNs) {
        if (ring == null) {
            return;
        }
        ring.watch(nowNs);
        if (window.isOldestAcknowledged()) {
            completer().completeAcknowledged();
        }
    }

    /** Leaves the link ring: the messages in it that are not completed will be sent as packets. */
    public void leaveRing() {
        if (ring != null) {
            ring.leave();
        }
    }

    /** Moves on to the ring of a resize if all requests in the old one are completed; true if it does. */
    public boolean moveOn() {
        return window.moveOn();
    }

    /** Handles the deadlines that have passed. */
    public void onTimeout(long nowNs) {
        if (timers.takeIfDue(Timer.RETRANSMIT, nowNs) && (ring == null || !ring.isInTime(nowNs))) {
            completer().onRetransmitTimeout(nowNs);
        }
        // The RNR timer only stops the requester: it is enough that it is no longer armed.
        timers.takeIfDue(Timer.RNR, nowNs);
        onRateTimeout(nowNs);
    }

    public long nextDeadlineNs() {
        return timers.nextDeadlineNs();
    }

    /** Ignores the buffers in flight from now on: the queue pair is in RESET, or no longer exists. */
    public void abandon() {
        if (requester != null) {
            requester.abandon();
        }
    }

    /** True if a request was started and is not completed. */
    public boolean hasStartedRequests() {
        return window.hasStarted();
    }

    /** PSN of the next request packet. */
    public int psn() {
        return window.psn();
    }
}
