// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Psn;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.RetryTimers;
import io.rdma4j.transport.common.RetryTimers.Timer;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.RnrTimer;
import io.rdma4j.wire.Syndrome;

/**
 * Processes the peer's responses and completes send requests (IBA 9.7.5, 9.7.6, 9.9.2). Corresponds to
 * {@code rxe_completer}.
 *
 * <p>Every response passes through the same ladder of {@link CompleterStep}s until a step returns an {@link Outcome}
 * that ends it; {@code conclude} acts on that outcome. Requests complete in the order in which they were posted. A
 * request that fails takes the queue pair to ERR, but only after all requests before it have completed.
 */
public final class Completer {
    /**
     * The syndrome if no response arrived. A peer that sent this value would mean an ACK, which never ends a request in
     * error.
     */
    private static final int NO_ANSWER = 0;

    /** For events of responses, whose opcode is not kept. */
    private static final int NO_OPCODE = 0;

    private final QpCore qp;
    private final SendWindow window;
    private final SendCredits credits;
    private final OutstandingReads reads;
    private final RetryTimers timers;
    private final RetryCounters retries;
    private final ResponseScatter scatter;
    private final CompletionRing completions;

    /** The request that is being completed. */
    private final SendHeader oldest = new SendHeader();

    /** The outcome of the last step of the ladder. */
    private Outcome outcome = Outcome.PASS;

    /** @param completions the completion queue of send requests */
    Completer(QpCore qp, SendState state, CompletionRing completions) {
        this.qp = qp;
        this.window = state.window;
        this.credits = state.credits();
        this.reads = state.reads();
        this.timers = state.timers;
        this.retries = new RetryCounters(qp);
        this.scatter = new ResponseScatter(qp, window, reads, oldest);
        this.completions = completions;
    }

    /** Runs a response packet through the ladder. */
    public void onResponse(PacketContext packet, long nowNs) {
        conclude(climb(packet, nowNs), packet.psn, packet.syndrome, nowNs);
    }

    private Outcome climb(PacketContext packet, long nowNs) {
        boolean up = passes(CompleterStep.PLACE, checkPlace(packet), packet)
                && passes(CompleterStep.SYNDROME, checkSyndrome(packet), packet)
                && passes(CompleterStep.ACKNOWLEDGE, acknowledge(packet, nowNs), packet)
                && passes(CompleterStep.TURN, checkTurn(packet), packet)
                && passes(CompleterStep.REFUSAL, checkRefusal(packet), packet)
                && passes(CompleterStep.MATCH, match(packet), packet)
                && passes(CompleterStep.LAND, land(packet), packet)
                && passes(CompleterStep.COMPLETE, complete(packet, nowNs), packet);
        return up ? Outcome.DONE : outcome;
    }

    /** True if the next step follows; if not, {@link #outcome} determines what happens to the response. */
    private boolean passes(CompleterStep step, Outcome outcome, PacketContext packet) {
        assert step.mayYield(outcome) : step + " says " + outcome;
        this.outcome = outcome;
        if (outcome != Outcome.PASS) {
            qp.trace().end(qp.qpn(), packet.psn, step, outcome);
        }
        return outcome == Outcome.PASS;
    }

    private Outcome checkPlace(PacketContext packet) {
        return qp.sendsRequests() && isExpected(packet.lastPsn()) ? Outcome.PASS : Outcome.DROP;
    }

    private Outcome match(PacketContext packet) {
        return scatter.matches(packet) ? Outcome.PASS : Outcome.BAD_RESPONSE;
    }

    /**
     * Copies the payload of the response into the request's memory. If the peer is on this machine and has closed its
     * own memory meanwhile, there is nothing to copy: the response counts as lost.
     */
    private Outcome land(PacketContext packet) {
        try {
            if (scatter.take(packet)) {
                return Outcome.PASS;
            }
        } catch (InternalError fault) {
            return Outcome.LANDING_PROTECTION;
        }
        return packet.skb.shinfo().hasAllBytes() ? Outcome.LANDING_PROTECTION : Outcome.DROP;
    }

    /** ACK, NAK or RNR NAK; every other opcode is the response to one request. */
    private static boolean isAcknowledge(PacketContext packet) {
        return packet.opcode.operation() == Operation.ACKNOWLEDGE;
    }

    /**
     * A response must refer to a packet that was sent and is not yet acknowledged; the last acknowledged packet is
     * accepted as a duplicate.
     */
    private boolean isExpected(int lastPsn) {
        return !Psn.isBefore(lastPsn, Psn.previous(window.unackedPsn())) && Psn.isBefore(lastPsn, window.topPsn());
    }

    private static Outcome checkSyndrome(PacketContext packet) {
        if (!isAcknowledge(packet)) {
            return Outcome.PASS;
        }
        return switch (Syndrome.kind(packet.syndrome)) {
            case ACK, RNR_NAK -> Outcome.PASS;
            case NAK -> Syndrome.nakCode(packet.syndrome) == null ? Outcome.DROP : Outcome.PASS;
            case RESERVED -> Outcome.DROP;
        };
    }

    /** An ACK acknowledges all packets up to its own PSN, every other response those before its own (IBA 9.7.5.1.2). */
    private Outcome acknowledge(PacketContext packet, long nowNs) {
        if (!isAcknowledge(packet) || Syndrome.kind(packet.syndrome) != Syndrome.Kind.ACK) {
            return acknowledgeBefore(packet.psn, nowNs);
        }
        credits.onAcknowledge(packet.msn, Syndrome.value(packet.syndrome));
        Outcome outcome = acknowledgeBefore(Psn.next(packet.psn), nowNs);
        return outcome == Outcome.PASS ? Outcome.DONE : outcome;
    }

    /**
     * Handles that all packets before {@code nextPsn} have arrived. If an outstanding READ or atomic before
     * {@code nextPsn} has no response yet, its response was lost.
     */
    private Outcome acknowledgeBefore(int nextPsn, long nowNs) {
        int limit = reads.reachOf(nextPsn, window.unackedPsn());
        Outcome outcome = window.acknowledge(limit) ? advance(nowNs) : Outcome.PASS;
        boolean missing = limit != nextPsn && qp.sendsRequests();
        return outcome == Outcome.PASS && missing ? checkGap(limit) : outcome;
    }

    /** Handles newly acknowledged packets. */
    private Outcome advance(long nowNs) {
        reads.answered(window.unackedPsn());
        retries.renew();
        timers.cancel(Timer.RNR);
        if (window.hasUnacked() && qp.connection().ackTimeoutNs() != 0) {
            timers.arm(Timer.RETRANSMIT, Deadline.after(nowNs, qp.connection().ackTimeoutNs()));
        } else {
            timers.cancel(Timer.RETRANSMIT);
        }
        return completeArrived();
    }

    /** Completes the requests that have all their responses. A READ with invalidation invalidates its local key now. */
    private Outcome completeArrived() {
        while (window.isOldestAcknowledged()) {
            oldest.read(window.memory(), window.oldestWqe());
            if (isInvalidationRefused()) {
                return Outcome.BAD_INVALIDATION;
            }
            if (!end(WcStatus.SUCCESS, NO_ANSWER)) {
                return Outcome.COMPLETION_OVERRUN;
            }
        }
        qp.control().onRequestsCompleted();
        return Outcome.PASS;
    }

    private boolean isInvalidationRefused() {
        return oldest.opcode() == WrOpcode.RDMA_READ_WITH_INV.code()
                && !qp.local().invalidate(oldest.immediate(), qp.protectionDomain());
    }

    /**
     * Handles that packet {@code psn} is missing (IBA 9.7.5.2.4). A responder reports a gap once, so a repetition of
     * the same NAK is ignored. While the RNR timer runs, nothing is sent.
     */
    private Outcome checkGap(int psn) {
        return timers.isArmed(Timer.RNR) || !retries.takeGap(psn) ? Outcome.DONE : Outcome.GAP;
    }

    /**
     * A response ahead of the expected one is ignored, since it is sent again after that one. Of a train, only the new
     * packets are processed.
     */
    private Outcome checkTurn(PacketContext packet) {
        int behind = Psn.distance(window.unackedPsn(), packet.psn);
        if (behind < 0 || behind >= packet.packets || !window.hasStarted()) {
            return Outcome.DONE;
        }
        if (behind > 0) {
            packet.dropFirst(behind);
        }
        return Outcome.PASS;
    }

    private Outcome checkRefusal(PacketContext packet) {
        if (!isAcknowledge(packet)) {
            return Outcome.PASS;
        }
        NakCode code = Syndrome.nakCode(packet.syndrome);
        if (code == null) {
            return checkReadiness();
        }
        if (code == NakCode.PSN_SEQUENCE_ERROR) {
            qp.counters().receivedSequenceNaks++;
            return checkGap(packet.psn);
        }
        return Outcome.of(code);
    }

    /** The peer had no receive posted (IBA 9.7.5.2.8). It reports this once for all packets in flight. */
    private Outcome checkReadiness() {
        if (timers.isArmed(Timer.RNR)) {
            return Outcome.DONE;
        }
        qp.counters().receivedRnrNaks++;
        return Outcome.PEER_NOT_READY;
    }

    private Outcome complete(PacketContext packet, long nowNs) {
        if (packet.lastOpcode.carries(Header.AETH)) {
            credits.onAcknowledge(packet.msn, Syndrome.value(packet.syndrome));
        }
        return window.acknowledge(Psn.next(packet.lastPsn())) ? advance(nowNs) : Outcome.PASS;
    }

    /**
     * Acts on the outcome of the ladder.
     *
     * @param psn of the response
     * @param syndrome of the response
     */
    private void conclude(Outcome outcome, int psn, int syndrome, long nowNs) {
        switch (outcome) {
            case PASS, DONE -> {}
            case DROP -> {
                qp.counters().droppedPackets++;
                qp.trace().drop(qp.qpn(), psn, NO_OPCODE, "response");
            }
            case GAP -> fillGap(syndrome, nowNs);
            case PEER_NOT_READY -> waitForPeer(psn, syndrome, nowNs);
            default -> fail(outcome, syndrome);
        }
    }

    /**
     * Retransmits after a gap. If the peer may have kept the packets behind the gap, only those that it reports missing
     * are sent.
     */
    private void fillGap(int syndrome, long nowNs) {
        window.onGap();
        retry(syndrome, nowNs);
        if (qp.options().placesOutOfOrder()) {
            window.probe();
        }
    }

    /**
     * Sends all unacknowledged packets again. When no retry is left, migrates to the alternate path if possible, and
     * otherwise fails the request.
     *
     * @param syndrome of the response that causes the retry; {@link #NO_ANSWER} if none arrived
     */
    private void retry(int syndrome, long nowNs) {
        if (retries.take()) {
            qp.counters().retries++;
        } else if (qp.migration().escape()) {
            retries.restart();
        } else {
            qp.counters().retryExceeded++;
            qp.trace().retryExceeded(qp.qpn(), window.unackedPsn(), cause(syndrome));
            fail(Outcome.GAP, syndrome);
            return;
        }
        qp.trace().retransmission(qp.qpn(), window.unackedPsn(), cause(syndrome));
        window.goBackTo(window.unackedPsn());
        if (qp.connection().ackTimeoutNs() != 0) {
            timers.arm(Timer.RETRANSMIT, Deadline.after(nowNs, retries.timeoutNs()));
        }
    }

    /** Cause of a retransmission, as it appears in the events. */
    private static String cause(int syndrome) {
        return syndrome == NO_ANSWER ? "timeout" : "sequence NAK";
    }

    /** Sends all unacknowledged packets again after the time that the RNR NAK asks for, or fails the request. */
    private void waitForPeer(int psn, int syndrome, long nowNs) {
        if (!retries.takeRnr()) {
            qp.counters().rnrRetryExceeded++;
            qp.trace().retryExceeded(qp.qpn(), psn, "receiver not ready");
            fail(Outcome.PEER_NOT_READY, syndrome);
            return;
        }
        qp.trace().rnrNak(qp.qpn(), psn, false, RnrTimer.ns(Syndrome.value(syndrome)));
        window.goBackTo(psn);
        timers.cancel(Timer.RETRANSMIT);
        timers.arm(Timer.RNR, Deadline.after(nowNs, RnrTimer.ns(Syndrome.value(syndrome))));
    }

    /**
     * Ends the oldest request with the status of {@code outcome}, if it has one, and takes the queue pair to an error
     * state.
     */
    private void fail(Outcome outcome, int syndrome) {
        WcStatus status = outcome.status();
        if (status == null) {
            qp.control().enterError();
        } else {
            failOldest(status, syndrome);
        }
    }

    /** Handles that no response arrived within the timeout (IBA 9.7.6.1.3). */
    void onRetransmitTimeout(long nowNs) {
        if (window.hasUnacked()) {
            retries.forgetGap();
            window.onLoss();
            retry(NO_ANSWER, nowNs);
        }
    }

    /** Handles that the retry attributes were set. */
    void onRetryLimitsChanged() {
        retries.renew();
    }

    /**
     * Handles that packets of an unreliable service have left this host; the peer never acknowledges them (IBA
     * 9.8.2.1).
     */
    void onPacketsLeft(int count) {
        if (window.acknowledge(Psn.add(window.unackedPsn(), count))) {
            completeAcknowledged();
        }
    }

    /** Completes the requests that need no more responses. */
    void completeAcknowledged() {
        Outcome outcome = completeArrived();
        if (outcome.isFatal()) {
            fail(outcome, NO_ANSWER);
        }
    }

    /**
     * Fails the request that the requester works on, once all requests before it have completed. Until then the
     * requester calls this method again on every attempt.
     */
    void failCurrent(WcStatus status) {
        if (window.isCurrentOldest()) {
            failOldest(status, NO_ANSWER);
        }
    }

    /** Ends the oldest request with {@code status}: the queue pair cannot continue. */
    public void breakDown(WcStatus status) {
        if (window.hasOldest()) {
            failOldest(status, NO_ANSWER);
        }
    }

    private void failOldest(WcStatus status, int syndrome) {
        boolean told = completeOldest(status, syndrome);
        if (told && !qp.service().isReliable()) {
            qp.control().enterSendError();
        } else {
            qp.control().enterError();
        }
    }

    /** Completes everything posted with a flush error; the queue pair is in ERR or SQE. */
    public void flush() {
        while (window.hasOldest()) {
            if (!completeOldest(WcStatus.WR_FLUSH_ERR, NO_ANSWER)) {
                qp.control().enterError();
            }
        }
    }

    /**
     * Ends the oldest request, with a completion if one is due; false if that could not be posted.
     *
     * @param syndrome of the response that ended it: the completion's {@code vendor_err}
     */
    private boolean completeOldest(WcStatus status, int syndrome) {
        oldest.read(window.memory(), window.oldestWqe());
        return end(status, syndrome);
    }

    /** The same for {@link #oldest}, which has been read. */
    private boolean end(WcStatus status, int syndrome) {
        boolean succeeded = status == WcStatus.SUCCESS;
        if (succeeded) {
            qp.counters().sends++;
        }
        // Before the completion, because the polling thread may rely on the free slot.
        window.releaseOldest();
        boolean signaled = qp.signalsAll() || oldest.hasFlag(SendFlag.SIGNALED);
        return !signaled && succeeded || qp.post(completions, completion(status, syndrome), false);
    }

    private CompletionEntry completion(WcStatus status, int syndrome) {
        WireOperation operation = WireOperation.of(oldest.opcode());
        WcOpcode opcode =
                operation == null ? WcOpcode.SEND : operation.request().completion();
        CompletionEntry entry = qp.completion(oldest.wrId(), status, opcode);
        entry.vendorError = syndrome;
        entry.byteLength = (int) oldest.length();
        if (operation != null && operation.carriesImmediate()) {
            entry.flags = WcFlag.WITH_IMM.bit();
        }
        return entry;
    }
}
