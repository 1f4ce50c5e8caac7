// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.RateLimiter;
import io.rdma4j.transport.common.RetryTimers;
import io.rdma4j.transport.common.RetryTimers.Timer;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.transport.port.Train;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Position;
import io.rdma4j.wire.TransportClass;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes request packets from the send queue (IBA 9.7.2 to 9.7.4, 9.8.2). Corresponds to {@code rxe_requester}.
 *
 * <p>Each call of {@link #send} makes one buffer: a packet, or a train of packets of one message as long as window,
 * budget and the largest train allow. Payload is not copied: the buffer's fragments point into registered memory, or
 * into the send queue for inline data.
 */
final class Requester {
    /** Linux requests an acknowledgement after this many packets without one. */
    private static final int MAX_PACKETS_PER_ACK = 64;

    /**
     * Divisor of the window: after this part of it an acknowledgement is requested, which is in flight while the other
     * half is sent.
     */
    private static final int ACK_SHARE = 2;

    /** Divisor of the window: less than this part of it is a remnant. */
    private static final int REMNANT_SHARE = 8;

    /**
     * Maximum number of request buffers of one queue pair in flight, and the number at which it continues: all queue
     * pairs share the port's buffers. As in Linux ({@code RXE_INFLIGHT_SKBS_PER_QP_HIGH} and {@code _LOW}).
     */
    private static final int MAX_BUFFERS = 64;

    private static final int FEW_BUFFERS = 16;

    /** In place of a number of packets: they cannot be read in place and are to be sent as through any network. */
    private static final int NOT_IN_PLACE = -1;

    private static final int NO_SLOT = -1;

    private final QpCore qp;
    private final SendCredits credits;
    private final OutstandingReads reads;
    private final RateLimiter rateLimiter;
    private final SendWindow window;
    private final RetryTimers timers;
    private final RequestHeaders headers;
    private final RequestPayload payload;
    private final SendCheck check;
    private final Completer completer;

    /** The current request. */
    private final SendHeader request = new SendHeader();

    /** Only for queue pairs that may have such requests. */
    private final @Nullable LargeSend large;

    private final BufferWatch underWay = new BufferWatch(this::onBufferLeft);

    private int buffers;
    private int unaskedPackets;

    /** The request whose payload the peer does not read in place, although the path would allow it. */
    private int copiedSlot = NO_SLOT;

    Requester(QpCore qp, SendState state, Completer completer) {
        this.qp = qp;
        this.window = state.window;
        this.timers = state.timers;
        this.headers = new RequestHeaders(qp, window);
        this.payload = new RequestPayload(qp, window);
        this.reads = state.reads();
        this.credits = state.credits();
        this.rateLimiter = state.rateLimiter();
        this.check = new SendCheck(qp, reads, window);
        this.completer = completer;
        this.large = qp.sendsLarge() ? new LargeSend(qp) : null;
    }

    /** Ignores the buffers in flight from now on. */
    void abandon() {
        underWay.renew();
    }

    private void onBufferLeft(SkBuff skb) {
        buffers--;
        boolean reliable = qp.service().isReliable();
        if (!reliable) {
            completer.onPacketsLeft(skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1);
        }
        if ((!reliable || buffers == FEW_BUFFERS) && window.hasCurrent()) {
            qp.port().sendable();
        }
    }

    /**
     * Sends what comes next, if anything may be sent now.
     *
     * @param budget packets at most, at least 1
     * @return packets sent; 0 if there is nothing to do until an event: a request, an acknowledgement, a timer, a
     *     buffer
     */
    int send(long nowNs, int budget) {
        if (timers.isArmed(Timer.RNR) || buffers == MAX_BUFFERS || !window.hasCurrent()) {
            return 0;
        }
        request.read(window.memory(), window.currentWqe());
        WireOperation operation = WireOperation.of(request.opcode());
        boolean started = window.isCurrentStarted();
        if (!started && (!qp.startsRequests() || isFenced())) {
            return 0;
        }
        // The length of a message is fixed when it is started, whatever the client has written since.
        boolean changed = started && request.length() != window.currentLength();
        WcStatus status = operation == null || changed ? WcStatus.LOC_QP_OP_ERR : check.validate(request, operation);
        if (operation == null || status != WcStatus.SUCCESS) {
            return fail(status);
        }
        if (operation.isLocal()) {
            return executeLocal(operation, started);
        }
        if (!started) {
            status = start(operation);
            if (status != WcStatus.SUCCESS) {
                return fail(status);
            }
        }
        if (operation == WireOperation.TSO) {
            return sendSegment(operation, nowNs);
        }
        return operation.hasOwnResponse() ? sendReadOrAtomic(operation, nowNs) : sendPackets(operation, budget, nowNs);
    }

    /** Fails the current request, which cannot be executed: nothing is sent. */
    private int fail(WcStatus status) {
        completer.failCurrent(status);
        return 0;
    }

    /** Assigns PSNs to a request, or returns the status with which it fails. */
    private WcStatus start(WireOperation operation) {
        if (operation.bringsPayload() && !check.canLand(request)) {
            return WcStatus.LOC_PROT_ERR;
        }
        // The slot may be the one that was gathered from last, if the requests between had no payload.
        payload.leavePlace();
        long length = request.length();
        if (operation == WireOperation.TSO) {
            LargeSend large = large();
            WcStatus status = large.begin(request, length, qp.connection().pathMtuBytes());
            if (status == WcStatus.SUCCESS) {
                begin(operation, large.packets(), length);
            }
            return status;
        }
        begin(operation, operation.hasMessageLength() ? qp.connection().packets(length) : 1, length);
        return WcStatus.SUCCESS;
    }

    /** Not null: {@link SendCheck} rejects such requests if there is none. */
    private LargeSend large() {
        return Objects.requireNonNull(large);
    }

    private void begin(WireOperation operation, int psnCount, long length) {
        copiedSlot = NO_SLOT;
        window.startCurrent(psnCount, length);
        qp.trace().request(qp.qpn(), operation.request(), length);
    }

    /**
     * Executes a request that sends no packet, once: when the requester goes back, it skips the request. It completes
     * in order. A key is invalidated only when all requests before have completed, because they might have to be sent
     * again from the memory of that key.
     */
    private int executeLocal(WireOperation operation, boolean started) {
        if (!started) {
            if (operation == WireOperation.LOCAL_INV && !window.isCurrentOldest()) {
                return 0;
            }
            if (!qp.local().execute(operation, window.memory(), request)) {
                // IBA 10.6.7.2.4 names this status; Linux uses it for windows only, and LOC_QP_OP_ERR for the others.
                return fail(WcStatus.MW_BIND_ERR);
            }
            begin(operation, 0, request.length());
        }
        window.sent(0);
        completer.completeAcknowledged();
        return 1;
    }

    /** IBA 10.8.3.3: a fenced request waits for the responses to the READs and atomics before it. */
    private boolean isFenced() {
        return !reads.isEmpty() && request.hasFlag(SendFlag.FENCE);
    }

    private boolean isDatagram() {
        return qp.service() == TransportClass.UD;
    }

    /**
     * Sends the next packets of a SEND or WRITE. A train that the peer reads in place costs no more than the budget,
     * however long it is.
     */
    private int sendPackets(WireOperation operation, int budget, long nowNs) {
        int usual = qp.connection().maxTrainPackets();
        int burstBytes = window.packetsLeft() > usual && copiedSlot != window.currentSlot() ? burstBytes() : 0;
        if (burstBytes > 0) {
            int room = window.room(burstBytes);
            int most = Math.min(room, qp.connection().maxTrainPackets(burstBytes));
            int sent = sendTrain(operation, room, most, /* inPlace= */ true, nowNs);
            if (sent != NOT_IN_PLACE) {
                return Math.min(sent, budget);
            }
            copiedSlot = window.currentSlot();
        }
        return sendTrain(operation, window.room(), budget, /* inPlace= */ false, nowNs);
    }

    private int burstBytes() {
        return isDatagram() ? 0 : qp.port().burstBytes();
    }

    /**
     * Sends packets that make one buffer.
     *
     * @param room in the window
     * @param most packets
     * @param inPlace if the peer does not read them in place, nothing is sent
     * @return packets sent, or {@link #NOT_IN_PLACE}
     */
    private int sendTrain(WireOperation operation, int room, int most, boolean inPlace, long nowNs) {
        int allowed = operation.takesReceive() ? allowedByCredits() : Integer.MAX_VALUE;
        int longest = inPlace ? most : Math.min(most, qp.connection().maxTrainPackets());
        int count = Math.min(window.packetsLeft(), Math.min(room, longest));
        int paced = rateLimiter.packets(qp.connection().pathMtuBytes());
        count = Math.min(count, Math.min(allowed, paced));
        SkBuff skb =
                count == 0 || isRemnant(count, room, longest) ? null : qp.port().allocate();
        if (skb == null) {
            return 0;
        }
        int mtu = qp.connection().pathMtuBytes();
        long sent = window.bytesSent();
        int bytes = (int) Math.min(window.currentLength() - sent, (long) count * mtu);
        boolean ends = count == window.packetsLeft();
        boolean ask =
                qp.service().isReliable() && (count == allowed || count == paced || asksForAck(count, room, ends));
        boolean solicited = ends && request.hasFlag(SendFlag.SOLICITED);
        boolean train = count > 1;
        Opcode first = operation.opcode(qp.service(), sent == 0, ends && !train);
        headers.write(
                skb, first, request, window.psn(), sent, Math.min(bytes, mtu), solicited && !train, ask && !train);
        if (train) {
            Opcode last = operation.opcode(qp.service(), false, ends);
            describe(skb, last, solicited, ask, request.immediate(), mtu, count);
        }
        boolean gathered = isDatagram() && request.hasFlag(SendFlag.IP_CSUM)
                ? payload.gatherWithChecksums(skb, request, bytes)
                : payload.gather(skb, request, bytes);
        if (!gathered) {
            boolean full = skb.shinfo().fragCount() == SkBuff.MAX_FRAGS;
            abandon(skb);
            if (full && count > 1) {
                return sendTrain(operation, room, count / 2, inPlace, nowNs);
            }
            return fail(WcStatus.LOC_PROT_ERR);
        }
        if (inPlace && !qp.port().readsInPlace(skb)) {
            abandon(skb);
            return NOT_IN_PLACE;
        }
        unaskedPackets = ask ? 0 : unaskedPackets + count;
        sent(count, inPlace);
        int others = leads(operation, first, bytes, solicited)
                ? append(skb, operation, first, bytes, Math.min(room, Math.min(most, paced)) - 1)
                : 0;
        transmit(skb, nowNs);
        return count + others;
    }

    /** True if a single-packet message may be the first of several in one buffer. */
    private boolean leads(WireOperation operation, Opcode opcode, int bytes, boolean solicited) {
        return operation == WireOperation.SEND
                && opcode.position() == Position.ONLY
                && bytes > 0
                && !solicited
                && (qp.service() == TransportClass.RC || qp.service() == TransportClass.UC)
                && credits.areUnlimited();
    }

    /**
     * Appends messages of the same kind as the first one while such messages follow; the last may be shorter, or
     * solicited. Only the last one requests an acknowledgement.
     *
     * @param skb with a message of {@code size} bytes, which counts as sent
     * @param most maximum number of messages to append
     * @return number of messages appended
     */
    private int append(SkBuff skb, WireOperation operation, Opcode opcode, int size, int most) {
        int room = qp.connection().maxTrainPackets() * qp.connection().pathMtuBytes() / size - 1;
        int limit = Math.min(Math.min(most, room), qp.port().messagesPerBuffer() - 1);
        int count = 0;
        boolean last = false;
        boolean solicited = false;
        while (count < limit && !last && follows(operation, size)) {
            if (!window.isCurrentStarted()) {
                start(operation);
            }
            int bytes = (int) window.currentLength();
            if (!payload.gatherAsOne(skb, request, bytes)) {
                // If it cannot be sent at all, the error is reported when it is sent on its own.
                payload.leavePlace();
                break;
            }
            solicited = request.hasFlag(SendFlag.SOLICITED);
            last = solicited || bytes < size;
            sent(1, /* inPlace= */ false);
            count++;
        }
        if (count > 0) {
            boolean ask = qp.service().isReliable();
            Bth.ackRequest(skb.memory(), skb.data(), false);
            describe(skb, opcode, solicited, ask, 0, size, count + 1);
            unaskedPackets = ask ? 0 : unaskedPackets + count;
        }
        return count;
    }

    /** True if the current request is a message that may be in one buffer with those before it. */
    private boolean follows(WireOperation operation, int size) {
        if (!window.hasCurrent()) {
            return false;
        }
        request.read(window.memory(), window.currentWqe());
        boolean started = window.isCurrentStarted();
        long bytes = request.length();
        return WireOperation.of(request.opcode()) == operation
                && bytes > 0
                && bytes <= size
                && (started ? bytes == window.currentLength() : qp.startsRequests() && !isFenced())
                && check.validate(request, operation) == WcStatus.SUCCESS;
    }

    private void describe(
            SkBuff skb, Opcode last, boolean solicited, boolean ask, int lastWord, int packetBytes, int packets) {
        Train train = qp.context().train();
        train.over(skb);
        train.describeLast(last, solicited, ask, lastWord);
        skb.shinfo().gso(packetBytes, packets);
    }

    /** Sends the next datagram of a large send. */
    private int sendSegment(WireOperation operation, long nowNs) {
        boolean free = window.room() > 0 && rateLimiter.packets(qp.connection().pathMtuBytes()) > 0;
        SkBuff skb = free ? qp.port().allocate() : null;
        if (skb == null) {
            return 0;
        }
        Opcode opcode = operation.opcode(qp.service(), true, true);
        boolean solicited = window.packetsLeft() == 1 && request.hasFlag(SendFlag.SOLICITED);
        LargeSend large = large();
        headers.write(skb, opcode, request, window.psn(), 0, large.nextBytes(), solicited, false);
        if (!large.addNext(skb)) {
            skb.free();
            return fail(WcStatus.LOC_PROT_ERR);
        }
        sent(1, /* inPlace= */ false);
        transmit(skb, nowNs);
        return 1;
    }

    /**
     * Number of packets that a message that consumes a receive request may send. If the peer is not known to have one,
     * and nothing is in flight whose acknowledgement could grant more credits, a single packet probes (IBA 9.7.7.2.5).
     */
    private int allowedByCredits() {
        if (credits.allow(window.currentNumber())) {
            return Integer.MAX_VALUE;
        }
        return window.isIdle() ? 1 : 0;
    }

    /** Frees a buffer that is not sent; its payload is gathered again later. */
    private void abandon(SkBuff skb) {
        skb.free();
        payload.leavePlace();
    }

    private boolean asksForAck(int count, int room, boolean ends) {
        int most = Math.min(MAX_PACKETS_PER_ACK, window.share(ACK_SHARE));
        return ends || count == room || unaskedPackets + count >= most;
    }

    /**
     * True if so few packets are better sent later, together with others: the window ends here, an acknowledgement that
     * opens it is expected, and a short train costs nearly as much as a long one. This is the sender's side of silly
     * window avoidance (RFC 1122 4.2.3.4).
     */
    private boolean isRemnant(int count, int room, int longest) {
        boolean isCutShort = count == room && count < Math.min(longest, window.packetsLeft());
        return qp.service().isReliable()
                && isCutShort
                && count < window.share(REMNANT_SHARE)
                && window.underWay() > unaskedPackets;
    }

    /**
     * Sends a request that has its own response. A long READ is requested in parts, of half a window or of the longest
     * train, so that the responses do not overrun this side. A part ends at the same PSN when it is requested again.
     */
    private int sendReadOrAtomic(WireOperation operation, long nowNs) {
        int usual = window.readPart();
        int burstBytes = window.packetsLeft() > usual ? burstBytes() : 0;
        boolean inPlace = burstBytes > 0;
        int part = inPlace ? qp.connection().maxTrainPackets(burstBytes) : usual;
        boolean again = window.resent(1) > 0;
        int count = again
                ? Psn.distance(reads.lastPsnOf(window.psn()), window.psn()) + 1
                : Math.min(window.packetsLeft(), part);
        int room = inPlace ? window.room(burstBytes) : window.room();
        boolean fits = room >= count || window.isIdle();
        SkBuff skb = fits && (again || reads.hasRoom()) ? qp.port().allocate() : null;
        if (skb == null) {
            return 0;
        }
        long sent = operation.hasMessageLength() ? window.bytesSent() : 0;
        long bytes = Math.min(
                window.currentLength() - sent, (long) count * qp.connection().pathMtuBytes());
        headers.write(skb, operation.opcode(qp.service(), true, true), request, window.psn(), sent, bytes, false, true);
        if (!operation.sendsPayload()) {
            // The PSN advances and the cursor does not: it no longer stands at the start of the next packet.
            payload.leavePlace();
        } else if (!payload.gather(skb, request, (int) bytes)) {
            abandon(skb);
            return fail(WcStatus.LOC_PROT_ERR);
        }
        if (!again) {
            reads.add(window.psn(), Psn.add(window.psn(), count - 1));
        }
        sent(count, inPlace);
        transmit(skb, nowNs);
        return 1;
    }

    /**
     * @param psns number of PSNs that the buffer, or the response to it, consumes
     * @param inPlace whether those packets are read in place
     */
    private void sent(int psns, boolean inPlace) {
        qp.counters().retransmittedPackets += window.resent(psns);
        if (inPlace) {
            window.sentInPlace(psns);
        } else {
            window.sent(psns);
        }
        payload.sent();
    }

    private void transmit(SkBuff skb, long nowNs) {
        buffers++;
        underWay.add(skb);
        awaitAnswer(nowNs);
        DatagramPath path =
                isDatagram() ? qp.port().path(SendOperands.addressHandle(window.memory(), request.wqe())) : null;
        if (path != null) {
            rateLimiter.path(path.staticRate());
        }
        rateLimiter.sent(skb.len(), nowNs);
        if (path == null) {
            qp.port().transmit(skb);
        } else {
            qp.port().transmit(skb, path);
        }
    }

    private void awaitAnswer(long nowNs) {
        boolean awaitsAnswer = qp.service().isReliable() && qp.connection().ackTimeoutNs() != 0;
        if (awaitsAnswer && !timers.isArmed(Timer.RETRANSMIT)) {
            timers.arm(Timer.RETRANSMIT, Deadline.after(nowNs, qp.connection().ackTimeoutNs()));
        }
    }
}
