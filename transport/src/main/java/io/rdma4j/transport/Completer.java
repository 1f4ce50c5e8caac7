package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Psn;
import io.rdma4j.transport.RetryTimers.Timer;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.WcFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.SendHeader;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.RnrTimer;
import io.rdma4j.wire.Syndrome;

/**
 * Reads the peer's answers and completes send requests (IBA 9.7.5, 9.7.6, 9.9.2); answers to {@code rxe_completer}.
 *
 * <p>Every answer climbs the same ladder of {@link CompleterStep}s, until one says by its {@link Outcome} that there is no more
 * to it, and {@code conclude} acts on that. Requests complete in the order in which they were posted. A request that fails
 * takes the queue pair to ERR, but only after all requests before it have completed.
 */
final class Completer {
    /** Stands for the syndrome where no answer came. A peer that sent this value would mean an ACK, which never ends a request in error. */
    private static final int NO_ANSWER = 0;

    /** For events of answers, whose opcode is not kept. */
    private static final int NO_OPCODE = 0;

    private final QpEngine qp;
    private final SendWindow window;
    private final SendCredits credits;
    private final OutstandingReads reads;
    private final RetryTimers timers;
    private final Retries retries;
    private final Landing landing;
    private final LocalOperations local;
    private final CompletionRing completions;

    /** The request that ends now. */
    private final SendHeader oldest = new SendHeader();

    /** What the last step of the ladder said. */
    private Outcome outcome = Outcome.PASS;

    /** @param completions where send requests complete */
    Completer(
            QpEngine qp,
            SendWindow window,
            SendCredits credits,
            OutstandingReads reads,
            RetryTimers timers,
            LocalOperations local,
            CompletionRing completions) {
        this.qp = qp;
        this.window = window;
        this.credits = credits;
        this.reads = reads;
        this.timers = timers;
        this.retries = new Retries(qp);
        this.landing = new Landing(qp, window, reads);
        this.local = local;
        this.completions = completions;
    }

    /** The ladder of a response packet. */
    void onResponse(PacketContext packet, long nowNs) {
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

    /** True if a step sends the answer on; if not, {@link #outcome} says what comes of it. */
    private boolean passes(CompleterStep step, Outcome said, PacketContext packet) {
        assert step.mayYield(said) : step + " says " + said;
        outcome = said;
        if (said != Outcome.PASS) {
            qp.trace().end(qp.qpn(), packet.psn, step, said);
        }
        return said == Outcome.PASS;
    }

    private Outcome checkPlace(PacketContext packet) {
        return qp.sendsRequests() && isExpected(packet.lastPsn()) ? Outcome.PASS : Outcome.DROP;
    }

    private Outcome match(PacketContext packet) {
        return landing.matches(packet) ? Outcome.PASS : Outcome.BAD_RESPONSE;
    }

    /**
     * Copies what the answer brings into the request's memory. If the peer is on this machine and has closed its own
     * memory meanwhile, there is nothing to copy: the answer counts as lost.
     */
    private Outcome land(PacketContext packet) {
        try {
            if (landing.take(packet)) {
                return Outcome.PASS;
            }
        } catch (InternalError fault) {
            return Outcome.LANDING_PROTECTION;
        }
        return packet.skb.hasAllBytes() ? Outcome.LANDING_PROTECTION : Outcome.DROP;
    }

    /** ACK, NAK or RNR NAK; everything else is an answer of its own to one request. */
    private static boolean isAcknowledge(PacketContext packet) {
        return packet.opcode.operation() == Operation.ACKNOWLEDGE;
    }

    /** An answer must speak of a packet that was sent and is not known to have arrived; the one before is a repetition. */
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

    /** An ACK speaks for all packets up to its own, every other answer for those before its own (IBA 9.7.5.1.2). */
    private Outcome acknowledge(PacketContext packet, long nowNs) {
        if (!isAcknowledge(packet) || Syndrome.kind(packet.syndrome) != Syndrome.Kind.ACK) {
            return acknowledgeBefore(packet.psn, nowNs);
        }
        credits.onAcknowledge(packet.msn, Syndrome.value(packet.syndrome));
        Outcome said = acknowledgeBefore(Psn.next(packet.psn), nowNs);
        return said == Outcome.PASS ? Outcome.DONE : said;
    }

    /**
     * All packets before {@code nextPsn} have arrived. An acknowledgement from behind a READ or atomic whose own answer has
     * not come means that the answer was lost.
     */
    private Outcome acknowledgeBefore(int nextPsn, long nowNs) {
        int limit = reads.reachOf(nextPsn, window.unackedPsn());
        Outcome said = window.acknowledge(limit) ? advance(nowNs) : Outcome.PASS;
        boolean missing = limit != nextPsn && qp.sendsRequests();
        return said == Outcome.PASS && missing ? checkGap(limit) : said;
    }

    /** Packets are newly acknowledged. */
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

    /** Completes what has got all its answers; a READ that is to take back a local key does so now. */
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
        qp.onRequestsCompleted();
        return Outcome.PASS;
    }

    private boolean isInvalidationRefused() {
        return oldest.opcode() == WrOpcode.RDMA_READ_WITH_INV.code()
                && !local.invalidate(oldest.immediate(), qp.protectionDomain());
    }

    /**
     * Packet {@code psn} is missing (IBA 9.7.5.2.4). A responder says so once a gap, so a repetition of the same NAK is a
     * stray; and while the peer's receive queue is awaited there is nothing to send.
     */
    private Outcome checkGap(int psn) {
        return timers.isArmed(Timer.RNR) || !retries.takeGap(psn) ? Outcome.DONE : Outcome.GAP;
    }

    /** An answer that runs ahead of the next one due will be sent again after that; of a train, only what is new counts. */
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

    /** The peer had no receive posted (IBA 9.7.5.2.8); it says so once for all the packets under way. */
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
     * Acts on what the ladder said.
     *
     * @param psn of the answer
     * @param syndrome of the answer
     */
    private void conclude(Outcome said, int psn, int syndrome, long nowNs) {
        switch (said) {
            case PASS, DONE -> {}
            case DROP -> {
                qp.counters().droppedPackets++;
                qp.trace().drop(qp.qpn(), psn, NO_OPCODE, "response");
            }
            case GAP -> fillGap(syndrome, nowNs);
            case PEER_NOT_READY -> waitForPeer(psn, syndrome, nowNs);
            default -> fail(said, syndrome);
        }
    }

    /** The peer has taken what it was handed, up to the packet to be sent next; nothing else is awaited. */
    void onTaken(long nowNs) {
        acknowledgeWhole(window.psn(), nowNs);
    }

    /** An acknowledgement came as a note; otherwise as one that is a packet. */
    void onAcknowledgement(int psn, int aeth, long nowNs) {
        int syndrome = Aeth.syndromeOf(aeth);
        if (!qp.sendsRequests() || !isExpected(psn) || Syndrome.kind(syndrome) != Syndrome.Kind.ACK) {
            qp.counters().droppedPackets++;
            return;
        }
        credits.onAcknowledge(Aeth.msnOf(aeth), Syndrome.value(syndrome));
        acknowledgeWhole(Psn.next(psn), nowNs);
    }

    private void acknowledgeWhole(int nextPsn, long nowNs) {
        conclude(acknowledgeBefore(nextPsn, nowNs), nextPsn, NO_ANSWER, nowNs);
    }

    /** The peer did not take what it was handed: whatever is not acknowledged is sent as packets. */
    void onRefusal() {
        if (qp.sendsRequests() && window.hasUnacked() && !timers.isArmed(Timer.RNR)) {
            window.goBackTo(window.unackedPsn());
        }
    }

    /** A peer that may have kept what came behind the gap is sent no more than it asks for. */
    private void fillGap(int syndrome, long nowNs) {
        window.onGap();
        retry(syndrome, nowNs);
        if (qp.options().placesOutOfOrder()) {
            window.probe();
        }
    }

    /**
     * Sends all unacknowledged packets again, or gives up: the path, if there is another one to try, or the peer.
     *
     * @param syndrome of the answer that asks for it; {@link #NO_ANSWER} if none came
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

    /** Why packets are sent again, as the events say it. */
    private static String cause(int syndrome) {
        return syndrome == NO_ANSWER ? "timeout" : "sequence NAK";
    }

    /** Sends all unacknowledged packets again when the peer has had the time it asks for, or gives up. */
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

    /** The queue pair can do no more. */
    private void fail(Outcome said, int syndrome) {
        WcStatus status = said.status();
        if (status == null) {
            qp.enterError();
        } else {
            failOldest(status, syndrome);
        }
    }

    /** No answer within the timeout (IBA 9.7.6.1.3). */
    void onRetransmitTimeout(long nowNs) {
        if (window.hasUnacked()) {
            retries.forgetGap();
            window.onLoss();
            retry(NO_ANSWER, nowNs);
        }
    }

    /** The attributes were set anew. */
    void onRetryLimitsChanged() {
        retries.renew();
    }

    /** Packets of an unreliable service have left: nobody will ever say more of them (IBA 9.8.2.1). */
    void onPacketsLeft(int count) {
        if (window.acknowledge(Psn.add(window.unackedPsn(), count))) {
            completeAcknowledged();
        }
    }

    /** Completes what needs no more answers. */
    void completeAcknowledged() {
        Outcome said = completeArrived();
        if (said.isFatal()) {
            fail(said, NO_ANSWER);
        }
    }

    /**
     * The requester cannot carry out the request it works on: it fails once all requests before it have completed; until
     * then the requester comes upon it again and again.
     */
    void failCurrent(WcStatus status) {
        if (window.isCurrentOldest()) {
            failOldest(status, NO_ANSWER);
        }
    }

    /** The queue pair can do no more: the oldest request ends so. */
    void breakDown(WcStatus status) {
        if (window.hasOldest()) {
            failOldest(status, NO_ANSWER);
        }
    }

    private void failOldest(WcStatus status, int syndrome) {
        boolean told = completeOldest(status, syndrome);
        if (told && !qp.service().isReliable()) {
            qp.enterSendError();
        } else {
            qp.enterError();
        }
    }

    /** Completes everything posted with a flush error; the queue pair is in ERR, or in SQE. */
    void flush() {
        while (window.hasOldest()) {
            if (!completeOldest(WcStatus.WR_FLUSH_ERR, NO_ANSWER)) {
                qp.enterError();
            }
        }
    }

    /**
     * Ends the oldest request, with a completion if one is due; false if that could not be posted.
     *
     * @param syndrome what the peer said that ended it: the completion's {@code vendor_err}
     */
    private boolean completeOldest(WcStatus status, int syndrome) {
        oldest.read(window.memory(), window.oldestWqe());
        return end(status, syndrome);
    }

    /** The same for {@link #oldest}, which was read. */
    private boolean end(WcStatus status, int syndrome) {
        boolean succeeded = status == WcStatus.SUCCESS;
        if (succeeded) {
            qp.counters().sends++;
        }
        // Before the completion: whoever polls it may count on the slot.
        window.releaseOldest();
        boolean signaled = qp.signalsAll() || oldest.hasFlag(SendFlag.SIGNALED);
        return !signaled && succeeded || qp.poster().post(completions, completion(status, syndrome), false);
    }

    private CompletionEntry completion(WcStatus status, int syndrome) {
        WireOperation operation = WireOperation.of(oldest.opcode());
        WcOpcode opcode =
                operation == null ? WcOpcode.SEND : operation.request().completion();
        CompletionEntry entry = qp.poster().begin(oldest.wrId(), status, opcode);
        entry.vendorError = syndrome;
        entry.byteLength = (int) oldest.length();
        if (operation != null && operation.carriesImmediate()) {
            entry.flags = WcFlag.WITH_IMM.bit();
        }
        return entry;
    }
}
