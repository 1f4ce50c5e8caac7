package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.transport.RetryTimers.Timer;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.WcStatus;

/**
 * What a queue pair sends and serves, and all that it has to remember for that.
 *
 * <p>A queue pair has none until its first request is posted or its first packet arrives, and none again after RESET. So very many
 * that are idle take little room, and to begin anew is to forget this.
 */
final class Traffic {
    private final QpEngine qp;
    private final SendWindow window;
    private final SendCredits credits = new SendCredits();
    private final OutstandingReads reads = new OutstandingReads();
    private final RetryTimers timers = new RetryTimers();
    private final RateLimiter rateLimiter;
    private final CongestionNotifier notifier;
    private final Requester requester;
    private final Responder responder;
    private final Completer completer;

    /** Begins as the attributes of the queue pair have it. */
    Traffic(QpEngine qp, QpQueues queues) {
        this.qp = qp;
        this.window = new SendWindow(queues.sendQueue());
        this.rateLimiter = new RateLimiter(qp.context(), timers);
        this.notifier = new CongestionNotifier(qp);
        LocalOperations local = new LocalOperations(qp.keys(), qp.protectionDomain(), qp);
        this.requester = new Requester(qp, window, credits, reads, timers, rateLimiter, local);
        this.responder = new Responder(qp, queues.source(qp.protectionDomain()), rateLimiter, local);
        this.completer = new Completer(qp, window, credits, reads, timers, local, queues.sendCompletions());
        apply(qp.attributes());
    }

    /** Attributes were set; those of the connection are in force already. */
    void apply(QpAttributes changes) {
        AddressVector path = changes.addressVector();
        if (path != null) {
            rateLimiter.path(path.staticRate());
        }
        applySends(changes);
        applyReceives(changes);
    }

    private void applySends(QpAttributes changes) {
        if (changes.has(QpAttribute.MAX_QP_RD_ATOMIC)) {
            reads.resize(changes.maxRdAtomic());
        }
        if (window.pathMtu() != qp.connection().pathMtuBytes()) {
            window.pathMtu(qp.connection().pathMtuBytes());
        }
        if (qp.connection().ackTimeoutNs() == 0) {
            timers.cancel(Timer.RETRANSMIT);
        }
        if (changes.has(QpAttribute.RETRY_CNT) || changes.has(QpAttribute.RNR_RETRY)) {
            completer.onRetryLimitsChanged();
        }
        if (changes.has(QpAttribute.SQ_PSN)) {
            window.startAt(Psn.of(changes.sqPsn()));
        }
    }

    private void applyReceives(QpAttributes changes) {
        if (changes.has(QpAttribute.MAX_DEST_RD_ATOMIC)) {
            responder.maxReadsAndAtomics(changes.maxDestRdAtomic());
        }
        if (changes.has(QpAttribute.RQ_PSN)) {
            responder.startAt(Psn.of(changes.rqPsn()));
        }
    }

    /** A packet of the peer arrived, over a path of the connection. */
    void onPacket(PacketContext packet, long nowNs) {
        notifier.onPacket(packet, nowNs);
        if (packet.opcode.isRequest() && qp.type() != QpType.XRC_INI) {
            responder.onRequest(packet);
        } else if (packet.opcode.isResponse() && qp.type() != QpType.XRC_TGT) {
            completer.onResponse(packet, nowNs);
        } else {
            qp.counters().droppedPackets++;
        }
    }

    /** The peer, in this device, hands over its next message; see {@link Responder#take}. */
    boolean take(WholeMessage message) {
        return responder.take(message);
    }

    /** What the peer handed over has arrived as a note; see {@link QpEngine#onNote}. */
    void onNote(WholeMessage note, boolean open, long nowNs) {
        if (note.acknowledges()) {
            completer.onAcknowledgement(note.ackPsn(), note.aeth(), nowNs);
        }
        if (note.refuses()) {
            completer.onRefusal();
        }
        if (!note.isMessage()) {
            return;
        }
        if (responder.hasServed(note) || open && responder.take(note)) {
            responder.acknowledgeLater();
        } else if (responder.refuses()) {
            WholeMessage refusal = qp.context().wholeMessage();
            refusal.refuse();
            qp.address(refusal);
            if (!qp.port().answer(refusal)) {
                responder.refuseByPacket();
            }
        }
    }

    /** What the peer was handed up to now is served. */
    void onTaken(long nowNs) {
        completer.onTaken(nowNs);
    }

    /** An acknowledgement that is owed may go along with a message. */
    void acknowledgeBy(WholeMessage message) {
        responder.acknowledgeBy(message);
    }

    /** It has gone. */
    void onAcknowledged() {
        responder.onAcknowledged();
    }

    /** The peer says that packets have met congestion. */
    void onNotification(long nowNs) {
        rateLimiter.onNotification(nowNs);
    }

    /** See {@link Engine#onTimeout}. */
    void onTimeout(long nowNs) {
        if (timers.takeIfDue(Timer.RETRANSMIT, nowNs)) {
            completer.onRetransmitTimeout(nowNs);
        }
        // The RNR timer only holds the requester back: that it is no longer armed is all that has to happen.
        timers.takeIfDue(Timer.RNR, nowNs);
        rateLimiter.onTimeout(nowNs);
    }

    /** See {@link Engine#nextDeadlineNs}. */
    long nextDeadlineNs() {
        return timers.nextDeadlineNs();
    }

    /** See {@link QpEngine#pollTransmit}. */
    boolean pollTransmit(long nowNs, int budget) {
        window.look();
        int left = budget - notifier.send(nowNs);
        // Answers go before requests, but may use only half of the budget until requests have had their turn. An
        // acknowledgement alone goes behind the requests: a device can send a short packet with the same call as the
        // longer ones in front of it, but not the other way round.
        if (responder.owesAnswers() && !responder.owesAcknowledgementOnly()) {
            left -= sendAnswers((left + 1) / 2, nowNs);
        }
        int sent = 1;
        while (left > 0 && sent > 0 && window.hasCurrent() && qp.sendsRequests()) {
            sent = requester.send(nowNs, left);
            left -= sent;
        }
        left -= sendAnswers(Math.max(left, 1), nowNs);
        return left <= 0;
    }

    private int sendAnswers(int budget, long nowNs) {
        int left = budget;
        int sent = 1;
        while (left > 0 && sent > 0 && responder.owesAnswers()) {
            sent = responder.send(left, nowNs);
            left -= sent;
        }
        return budget - left;
    }

    /** The queue pair is in ERR: nothing is waited for, and nothing is sent but a NAK that is owed. */
    void stop() {
        timers.cancelAll();
        rateLimiter.reset();
        notifier.reset();
        responder.stop();
    }

    /** The queue pair is in RESET, or no longer there: lets go of what belongs to others. */
    void abandon() {
        requester.abandon();
        responder.dropHeld();
    }

    /** See {@link Engine#flushSends}. */
    void flushSends() {
        completer.flush();
    }

    /** See {@link Engine#flushReceives}. */
    void flushReceives() {
        responder.flush();
    }

    /** No request is served any more. */
    void onFlushed() {
        responder.dropHeld();
    }

    /** See {@link Engine#breakDown}. */
    void breakDown(WcStatus status) {
        completer.breakDown(status);
    }

    /** A request was carried out that nobody answers: it completes in its turn, perhaps now. */
    void onLocalRequestDone() {
        completer.completeAcknowledged();
    }

    /** Packets of an unreliable service are out of this host's memory. */
    void onPacketsLeft(int count) {
        completer.onPacketsLeft(count);
        if (window.hasCurrent()) {
            qp.port().sendable();
        }
    }

    /** An answer cannot be given: the memory that it comes from is gone. */
    void breakOff(Verdict verdict) {
        responder.breakOff(verdict);
    }

    /** The request at the requester's hand cannot be carried out. */
    void failCurrentRequest(WcStatus status) {
        completer.failCurrent(status);
    }

    /** True if a request was begun and is not completed. */
    boolean hasStartedRequests() {
        return window.hasStarted();
    }

    /** Of the next request packet. */
    int psn() {
        return window.psn();
    }

    /** Of the request packet that the peer is to send next. */
    int expectedPsn() {
        return responder.expectedPsn();
    }
}
