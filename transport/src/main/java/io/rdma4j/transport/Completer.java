package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Psn;
import io.rdma4j.transport.RetryTimers.Timer;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.WcFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.verbs.queue.SendQueue;
import io.rdma4j.wire.AtomicAckEth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.RnrTimer;
import io.rdma4j.wire.Syndrome;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads the peer's answers and completes send requests (IBA 9.7.5, 9.7.6, 9.9.2); answers to {@code rxe_completer}.
 *
 * <p>Requests complete in the order in which they were posted. A request that fails takes the queue pair to ERR, but only
 * after all requests before it have completed.
 */
final class Completer {
    /** Three-bit RNR retry count that means "for ever". */
    private static final int RNR_RETRY_FOREVER = 7;

    /** The timer may run up to four times the timeout (IBA 9.7.6.1.3); it does so from the third try on. */
    private static final int MAX_TIMEOUT_SHIFT = 2;

    private static final int NONE = -1;

    private final QpEngine qp;
    private final SendWindow window;
    private final SendCredits credits;
    private final OutstandingReads reads;
    private final RetryTimers timers;
    private final SgeCursor cursor;
    private final LocalOperations local;

    private int retriesLeft;
    private int retriesDone;
    private int rnrRetriesLeft;
    private int answeredGap = NONE;

    Completer(QpEngine qp, SendWindow window, SendCredits credits, OutstandingReads reads, RetryTimers timers) {
        this.qp = qp;
        this.window = window;
        this.credits = credits;
        this.reads = reads;
        this.timers = timers;
        this.local = new LocalOperations(qp.keys(), qp.protectionDomain(), qp);
        this.cursor = new SgeCursor(qp.keys(), qp.protectionDomain(), AccessFlag.LOCAL_WRITE.bit());
    }

    /** The ladder of a response packet. */
    void onResponse(PacketContext packet, long nowNs) {
        if (!qp.sendsRequests() || !isExpected(packet)) {
            qp.counters().droppedPackets++;
            return;
        }
        switch (packet.opcode.operation()) {
            case ACKNOWLEDGE -> onAcknowledge(packet, nowNs);
            case READ_RESPONSE, ATOMIC_ACKNOWLEDGE -> onAnswer(packet, nowNs);
            default -> qp.counters().droppedPackets++;
        }
    }

    /** An answer must speak of a packet that was sent and is not known to have arrived; the one before is a repetition. */
    private boolean isExpected(PacketContext packet) {
        return !Psn.isBefore(packet.lastPsn(), Psn.previous(window.unackedPsn()))
                && Psn.isBefore(packet.lastPsn(), window.topPsn());
    }

    private void onAcknowledge(PacketContext packet, long nowNs) {
        switch (Syndrome.kind(packet.syndrome)) {
            case ACK -> {
                credits.onAcknowledge(packet.msn, Syndrome.value(packet.syndrome));
                acknowledge(Psn.next(packet.psn), nowNs);
            }
            case RNR_NAK -> onRnrNak(packet, nowNs);
            case NAK -> onNak(packet, nowNs);
            case RESERVED -> qp.counters().droppedPackets++;
        }
    }

    /**
     * All packets before {@code nextPsn} have arrived: IBA 9.7.5.1.2. An acknowledgement from behind a READ or atomic whose
     * own answer has not come means that the answer was lost.
     */
    private void acknowledge(int nextPsn, long nowNs) {
        int limit = reads.reachOf(nextPsn, window.unackedPsn());
        if (window.acknowledge(limit)) {
            advance(nowNs);
        }
        if (limit != nextPsn && qp.sendsRequests()) {
            onGap(limit, nowNs);
        }
    }

    /** Packets are newly acknowledged. */
    private void advance(long nowNs) {
        reads.answered(window.unackedPsn());
        renewRetries();
        timers.cancel(Timer.RNR);
        if (window.hasUnacked() && qp.connection().ackTimeoutNs() != 0) {
            timers.arm(Timer.RETRANSMIT, Deadline.after(nowNs, qp.connection().ackTimeoutNs()));
        } else {
            timers.cancel(Timer.RETRANSMIT);
        }
        completeAcknowledged();
    }

    /** Completes what has got all its answers; a READ that is to take back a local key does so now. */
    void completeAcknowledged() {
        while (window.isOldestAcknowledged()) {
            if (isInvalidationRefused()) {
                failOldest(WcStatus.MW_BIND_ERR);
                return;
            }
            completeOldest(WcStatus.SUCCESS);
        }
        qp.onRequestsCompleted();
    }

    private boolean isInvalidationRefused() {
        MemorySegment memory = window.memory();
        long wqe = window.oldestWqe();
        return SendQueue.opcode(memory, wqe) == WrOpcode.RDMA_READ_WITH_INV.code()
                && !local.invalidate(SendQueue.immediate(memory, wqe), qp.protectionDomain());
    }

    /** Packets of an unreliable service have left: nobody will ever say more of them (IBA 9.8.2.1). */
    void onPacketsLeft(int count) {
        if (window.acknowledge(Psn.add(window.unackedPsn(), count))) {
            completeAcknowledged();
        }
    }

    /** A READ response or atomic acknowledge: it must be the next one, else something before it was lost. */
    private void onAnswer(PacketContext packet, long nowNs) {
        acknowledge(packet.psn, nowNs);
        int behind = Psn.distance(window.unackedPsn(), packet.psn);
        if (!qp.sendsRequests() || behind >= packet.packets) {
            return;
        }
        if (behind > 0) {
            packet.dropFirst(behind);
        }
        if (packet.psn != window.unackedPsn()) {
            return;
        }
        if (packet.lastOpcode.carries(Header.AETH)) {
            credits.onAcknowledge(packet.msn, Syndrome.value(packet.syndrome));
        }
        WcStatus status = take(packet);
        if (status != WcStatus.SUCCESS) {
            failOldest(status);
        } else if (window.acknowledge(Psn.next(packet.lastPsn()))) {
            advance(nowNs);
        }
    }

    /** Puts what an answer brings where the oldest request wants it. */
    private WcStatus take(PacketContext packet) {
        boolean awaited = reads.awaits(packet.psn) && !Psn.isAfter(packet.lastPsn(), reads.lastAwaitedPsn());
        WireOperation operation =
                awaited ? WireOperation.of(SendQueue.opcode(window.memory(), window.oldestWqe())) : null;
        if (operation == null) {
            return WcStatus.BAD_RESP_ERR;
        }
        boolean atomic = packet.opcode.operation() == Operation.ATOMIC_ACKNOWLEDGE;
        if (operation.isAtomic() != atomic) {
            return WcStatus.BAD_RESP_ERR;
        }
        if (atomic) {
            return takeOriginal(packet);
        }
        if (operation.reads()) {
            return takeRead(packet);
        }
        return packet.payloadBytes == 0 ? WcStatus.SUCCESS : WcStatus.BAD_RESP_ERR;
    }

    private WcStatus takeRead(PacketContext packet) {
        long done = window.oldestBytesDone();
        long expected = Math.min(
                window.oldestLength() - done,
                (long) packet.packets * qp.connection().pathMtuBytes());
        if (packet.payloadBytes != expected) {
            return WcStatus.BAD_RESP_ERR;
        }
        beginScatter();
        cursor.skip(done);
        boolean taken = cursor.scatter(packet.skb, packet.payloadOffset, packet.payloadBytes);
        return taken ? WcStatus.SUCCESS : WcStatus.LOC_PROT_ERR;
    }

    /** The value is a number, not bytes: it goes to memory in the machine's order. */
    private WcStatus takeOriginal(PacketContext packet) {
        MemorySegment original = qp.scratch();
        original.set(ValueLayout.JAVA_LONG, 0, AtomicAckEth.original(packet.memory(), packet.at(Header.ATOMICACKETH)));
        beginScatter();
        return cursor.scatter(original, 0, Long.BYTES) ? WcStatus.SUCCESS : WcStatus.LOC_PROT_ERR;
    }

    private void beginScatter() {
        MemorySegment memory = window.memory();
        long wqe = window.oldestWqe();
        int pieces = Math.clamp(SendQueue.numSge(memory, wqe), 0, qp.sendQueue().maxSge());
        cursor.begin(memory, SendQueue.data(wqe, 0), pieces);
    }

    /** The peer had no receive posted for packet {@code psn}; all before it have arrived (IBA 9.7.5.2.8). */
    private void onRnrNak(PacketContext packet, long nowNs) {
        acknowledge(packet.psn, nowNs);
        if (packet.psn != window.unackedPsn() || timers.isArmed(Timer.RNR) || !window.hasStarted()) {
            return;
        }
        qp.counters().receivedRnrNaks++;
        if (rnrRetriesLeft == 0) {
            qp.counters().rnrRetryExceeded++;
            failOldest(WcStatus.RNR_RETRY_EXC_ERR);
            return;
        }
        if (rnrRetriesLeft != RNR_RETRY_FOREVER) {
            rnrRetriesLeft--;
        }
        window.goBackTo(packet.psn);
        timers.cancel(Timer.RETRANSMIT);
        timers.arm(Timer.RNR, Deadline.after(nowNs, RnrTimer.ns(Syndrome.value(packet.syndrome))));
    }

    private void onNak(PacketContext packet, long nowNs) {
        NakCode code = Syndrome.nakCode(packet.syndrome);
        if (code == null) {
            qp.counters().droppedPackets++;
            return;
        }
        acknowledge(packet.psn, nowNs);
        if (packet.psn != window.unackedPsn() || !window.hasStarted()) {
            return;
        }
        if (code == NakCode.PSN_SEQUENCE_ERROR) {
            onSequenceNak(packet.psn, nowNs);
        } else {
            failOldest(status(code));
        }
    }

    /**
     * Packet {@code psn} is missing (IBA 9.7.5.2.4). A responder says so once a gap, so a repetition of the same NAK is a
     * stray; and while the peer's receive queue is awaited there is nothing to send.
     */
    private void onSequenceNak(int psn, long nowNs) {
        qp.counters().receivedSequenceNaks++;
        onGap(psn, nowNs);
    }

    private void onGap(int psn, long nowNs) {
        if (psn != answeredGap && !timers.isArmed(Timer.RNR)) {
            answeredGap = psn;
            retry(nowNs);
        }
    }

    /** How the request ends that a NAK refuses for good. */
    static WcStatus status(NakCode code) {
        return switch (code) {
            case REMOTE_ACCESS_ERROR -> WcStatus.REM_ACCESS_ERR;
            case REMOTE_OPERATIONAL_ERROR -> WcStatus.REM_OP_ERR;
            case INVALID_REQUEST, INVALID_RD_REQUEST, PSN_SEQUENCE_ERROR -> WcStatus.REM_INV_REQ_ERR;
        };
    }

    /** No answer within the timeout (IBA 9.7.6.1.3). */
    void onRetransmitTimeout(long nowNs) {
        if (window.hasUnacked()) {
            answeredGap = NONE;
            retry(nowNs);
        }
    }

    /**
     * Sends all unacknowledged packets again, or gives up. Each try waits longer, as far as the specification allows: a peer
     * that does not get its CPU for half a second is not a dead one.
     */
    private void retry(long nowNs) {
        if (retriesLeft == 0) {
            qp.counters().retryExceeded++;
            failOldest(WcStatus.RETRY_EXC_ERR);
            return;
        }
        if (!qp.retriesForever()) {
            retriesLeft--;
        }
        retriesDone++;
        qp.counters().retries++;
        window.onLoss();
        window.goBackTo(window.unackedPsn());
        if (qp.connection().ackTimeoutNs() != 0) {
            long delayNs = qp.connection().ackTimeoutNs() << Math.min(retriesDone, MAX_TIMEOUT_SHIFT);
            timers.arm(Timer.RETRANSMIT, Deadline.after(nowNs, delayNs));
        }
    }

    private void renewRetries() {
        retriesLeft = qp.connection().retryCount();
        retriesDone = 0;
        rnrRetriesLeft = qp.connection().rnrRetry();
        answeredGap = NONE;
    }

    /** The attributes were set anew. */
    void onRetryLimitsChanged() {
        renewRetries();
    }

    /**
     * The requester cannot carry out the request it works on: it fails once all requests before it have completed; until
     * then the requester comes upon it again and again.
     */
    void failCurrent(WcStatus status) {
        if (window.isCurrentOldest()) {
            failOldest(status);
        }
    }

    private void failOldest(WcStatus status) {
        completeOldest(status);
        if (qp.service().isReliable()) {
            qp.enterError();
        } else {
            qp.enterSendError();
        }
    }

    /** Completes everything posted with a flush error; the queue pair is in ERR. */
    void flush() {
        while (window.hasOldest()) {
            completeOldest(WcStatus.WR_FLUSH_ERR);
        }
    }

    private void completeOldest(WcStatus status) {
        MemorySegment memory = window.memory();
        long wqe = window.oldestWqe();
        boolean signaled = qp.signalsAll() || (SendQueue.flags(memory, wqe) & SendFlag.SIGNALED.bit()) != 0;
        if (status == WcStatus.SUCCESS) {
            qp.counters().sends++;
        }
        WireOperation operation = WireOperation.of(SendQueue.opcode(memory, wqe));
        WcOpcode opcode =
                operation == null ? WcOpcode.SEND : operation.request().completion();
        CompletionEntry entry = qp.completion(SendQueue.wrId(memory, wqe), status, opcode);
        entry.byteLength = SendQueue.length(memory, wqe);
        if (operation != null && operation.carriesImmediate()) {
            entry.flags = WcFlag.WITH_IMM.bit();
        }
        // Before the completion: whoever polls it may count on the slot.
        window.releaseOldest();
        if ((signaled || status != WcStatus.SUCCESS) && !qp.postSendCompletion(entry)) {
            qp.enterError();
        }
    }
}
