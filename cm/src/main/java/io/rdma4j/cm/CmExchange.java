// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The messages of an id: the one that is repeated until the peer answers it, and the last answer, which is repeated if
 * the peer repeats its message.
 */
final class CmExchange {
    private static final ValueLayout.OfLong GUID = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final CmCore core;
    private final CmId id;

    /** The message that waits for an answer of the peer. */
    private @Nullable MemorySegment message;

    private CmMessage messageKind = CmMessage.REQ;
    private long timeoutNs;
    int retriesLeft;
    /** The request was sent to the port that a rejection named. */
    private boolean isRedirected;

    final TimerHeap.Timer timer = new TimerHeap.Timer() {
        @Override
        void expire() {
            timedOut();
        }
    };

    /** The last answer, for a repeated message of the peer. */
    private @Nullable MemorySegment answer;

    private CmMessage answerKind = CmMessage.RTU;

    CmExchange(CmCore core, CmId id) {
        this.core = core;
        this.id = id;
    }

    /** Sends a REJ of the message that the state tells. */
    void reject(RejectReason reason, MemorySegment info, MemorySegment privateData) {
        int rejected = switch (id.state) {
            case REQ_RCVD, MRA_REQ_SENT -> 0;
            case REP_RCVD, MRA_REP_SENT -> 1;
            default -> 2;
        };
        int local = id.state == CmState.REQ_RCVD ? 0 : id.localId;
        MessageIds ids = new MessageIds(local, id.remoteId, id.transaction);
        send(CmMessage.REJ, CmWriter.rej(ids, rejected, reason, info, privateData));
    }

    /** Sends a REJ because this end no longer waits for the peer. */
    void giveUp() {
        MemorySegment guid = MemorySegment.ofArray(new byte[Long.BYTES]);
        guid.set(GUID, 0, core.device.guid());
        reject(RejectReason.TIMEOUT, guid, MemorySegment.NULL);
    }

    void send(CmMessage kind, MemorySegment mad) {
        core.send(kind, mad, id.address());
    }

    /** Sends a message until it is answered. */
    void sendRepeatedly(CmMessage kind, MemorySegment mad, long afterNs) {
        isRedirected = false;
        repeat(kind, mad, afterNs);
    }

    private void repeat(CmMessage kind, MemorySegment mad, long afterNs) {
        messageKind = kind;
        message = mad;
        retriesLeft = id.maxCmRetries;
        timeoutNs = afterNs;
        send(kind, mad);
        startTimer();
    }

    private void startTimer() {
        core.startTimer(timer, timeoutNs);
    }

    /** The peer will answer within this time from now on; the number of repetitions does not change. */
    void extendTimeout(long newTimeoutNs) {
        timeoutNs = newTimeoutNs;
        startTimer();
    }

    /** The message is answered, or no longer wanted. */
    void cancelMessage() {
        core.timers.stop(timer);
        message = null;
    }

    /** Repeats the REQ without its alternate path. Returns false if it has none. */
    boolean dropAlternatePath() {
        MemorySegment req = message;
        if (req == null || messageKind != CmMessage.REQ || !CmWriter.removeAlternatePath(req)) {
            return false;
        }
        id.connection().alternatePath = null;
        repeat(CmMessage.REQ, req, id.repeatNs);
        return true;
    }

    /** Sends the REQ or SIDR_REQ to another port. Returns false if that was done before, or there is no such port. */
    boolean redirect(Gid gid) {
        MemorySegment request = message;
        if (request == null || isRedirected || gid.isZero()) {
            return false;
        }
        isRedirected = true;
        if (messageKind == CmMessage.REQ) {
            CmReq.PRIMARY_REMOTE_PORT_GID.put(request, CmMessage.BODY, gid);
            id.connection().path = id.connection().path.to(gid);
        }
        id.address = id.address().to(gid);
        repeat(messageKind, request, timeoutNs);
        return true;
    }

    private void timedOut() {
        MemorySegment mad = Objects.requireNonNull(message, "the timer runs while a message waits for its answer");
        if (retriesLeft > 0) {
            retriesLeft--;
            core.sendAgain(messageKind, mad, id.address());
            startTimer();
            return;
        }
        if (id.state == CmState.ESTABLISHED) {
            id.lapState = Objects.requireNonNull(CmStateTable.lapStep(id.lapState, CmTrigger.NO_RESPONSE))
                    .next();
            cancelMessage();
        } else {
            core.enter(
                    id,
                    Objects.requireNonNull(CmStateTable.step(id.state, CmTrigger.NO_RESPONSE))
                            .next());
        }
        core.report(id, new CmEvent.NoResponse(messageKind));
    }

    void keepAnswer(CmMessage kind, MemorySegment mad) {
        answerKind = kind;
        answer = mad;
    }

    void sendAnswer(CmMessage kind, MemorySegment mad) {
        keepAnswer(kind, mad);
        send(kind, mad);
    }

    /** Sends the last answer again. */
    void repeatAnswer() {
        if (answer != null) {
            send(answerKind, answer);
        }
    }

    /** Returns true if the last answer is a message of this kind. */
    boolean hasAnswered(CmMessage kind) {
        return answer != null && answerKind == kind;
    }

    /** Answers a DREQ that came again, or that the own DREQ crossed. */
    void answerLateDreq(long transactionId) {
        if (!hasAnswered(CmMessage.DREP)) {
            keepAnswer(CmMessage.DREP, CmWriter.drep(id.ids(transactionId), MemorySegment.NULL));
        }
        repeatAnswer();
    }

    void forgetAnswer() {
        answer = null;
    }
}
