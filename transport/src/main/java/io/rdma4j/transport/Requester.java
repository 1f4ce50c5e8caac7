package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.RetryTimers.Timer;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.SendQueue;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.ImmDt;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Makes request packets from the send queue (IBA 9.7.2 to 9.7.4); answers to {@code rxe_requester}.
 *
 * <p>Each call of {@link #send} makes one buffer: a packet, or a train of packets of one message as long as window, budget
 * and the largest train allow. Payload is not copied: the buffer's fragments point into registered memory, or into the send
 * queue for inline data.
 */
final class Requester {
    /** Linux asks for an acknowledgement after this many packets without one. */
    private static final int MAX_PACKETS_PER_ACK = 64;

    /** As much as a UDP datagram of the largest size carries: what segmentation offloads take. */
    private static final int MAX_TRAIN_BYTES = 60 << 10;

    private static final int NO_SLOT = -1;

    private final QpEngine qp;
    private final SendWindow window;
    private final RetryTimers timers;
    private final SgeCursor cursor;

    private int cursorSlot = NO_SLOT;
    private int cursorPsn;
    private int unaskedPackets;

    Requester(QpEngine qp, SendWindow window, RetryTimers timers) {
        this.qp = qp;
        this.window = window;
        this.timers = timers;
        this.cursor = new SgeCursor(qp.keys(), qp.protectionDomain(), 0);
    }

    void reset() {
        cursorSlot = NO_SLOT;
        unaskedPackets = 0;
    }

    /**
     * Sends what comes next, if anything may be sent now.
     *
     * @param budget packets at most, at least 1
     * @return packets sent; 0 if there is nothing to do until an event: a request, an acknowledgement, a timer, a buffer
     */
    int send(long nowNs, int budget) {
        if (timers.isArmed(Timer.RNR) || !window.hasCurrent()) {
            return 0;
        }
        long wqe = window.currentWqe();
        WireOperation operation = WireOperation.of(SendQueue.opcode(window.memory(), wqe));
        boolean started = window.isCurrentStarted();
        if (!started && !qp.startsRequests()) {
            return 0;
        }
        WcStatus status = validate(wqe, operation);
        if (status != WcStatus.SUCCESS || operation == null) {
            qp.failCurrentRequest(status);
            return 0;
        }
        if (!started) {
            window.startCurrent(packets(length(wqe)));
        }
        int count = Math.min(Math.min(window.packetsLeft(), window.room()), Math.min(budget, maxTrainPackets()));
        if (count == 0) {
            return 0;
        }
        SkBuff skb = qp.port().allocate();
        return skb == null ? 0 : build(skb, wqe, operation, count, nowNs);
    }

    /** What is wrong with a request; asked again for each train, since the client can still write into its ring. */
    private WcStatus validate(long wqe, @Nullable WireOperation operation) {
        MemorySegment memory = window.memory();
        boolean inline = (SendQueue.flags(memory, wqe) & SendFlag.INLINE.bit()) != 0;
        int numSge = SendQueue.numSge(memory, wqe);
        boolean sound = operation != null
                && numSge >= 0
                && numSge <= qp.sendQueue().maxSge()
                && (!inline || length(wqe) <= qp.sendQueue().maxInlineData());
        if (!sound) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        return length(wqe) <= qp.maxMessageBytes() ? WcStatus.SUCCESS : WcStatus.LOC_LEN_ERR;
    }

    private int build(SkBuff skb, long wqe, WireOperation operation, int count, long nowNs) {
        int mtu = qp.pathMtuBytes();
        long sent = window.bytesSent();
        int payload = (int) Math.min(length(wqe) - sent, (long) count * mtu);
        boolean starts = sent == 0;
        boolean ends = count == window.packetsLeft();
        boolean ask = ends || count == window.room() || unaskedPackets + count >= MAX_PACKETS_PER_ACK;
        boolean solicited = ends && (SendQueue.flags(window.memory(), wqe) & SendFlag.SOLICITED.bit()) != 0;

        if (count == 1) {
            writeHeaders(skb, operation.opcode(starts, ends), wqe, payload, solicited, ask);
        } else {
            writeHeaders(skb, operation.opcode(starts, false), wqe, 0, false, false);
            int immediate = SendQueue.immediate(window.memory(), wqe);
            Train.describeLast(skb, operation.opcode(false, ends), solicited, ask, immediate);
            skb.gso(mtu, count);
        }
        if (!gather(skb, wqe, payload)) {
            skb.free();
            cursorSlot = NO_SLOT;
            qp.failCurrentRequest(WcStatus.LOC_PROT_ERR);
            return 0;
        }
        unaskedPackets = ask ? 0 : unaskedPackets + count;
        qp.counters().retransmittedPackets += window.resent(count);
        window.sent(count);
        cursorPsn = window.psn();
        qp.port().transmit(skb);
        if (qp.ackTimeoutNs() != 0 && !timers.isArmed(Timer.RETRANSMIT)) {
            timers.arm(Timer.RETRANSMIT, Deadline.after(nowNs, qp.ackTimeoutNs()));
        }
        return count;
    }

    /** @param payload bytes of this very packet, for the pad count; a train's first packet is full and needs none */
    private void writeHeaders(SkBuff skb, Opcode opcode, long wqe, int payload, boolean solicited, boolean ask) {
        int at = skb.put(opcode.headerBytes());
        MemorySegment memory = skb.memory();
        Bth.write(memory, at, opcode, solicited, true, -payload & 3, qp.pkey(), qp.destinationQpn(), ask, window.psn());
        if (opcode.carries(Header.IMMDT)) {
            ImmDt.write(memory, at + opcode.offsetOf(Header.IMMDT), SendQueue.immediate(window.memory(), wqe));
        }
    }

    private boolean gather(SkBuff skb, long wqe, int payload) {
        MemorySegment memory = window.memory();
        if ((SendQueue.flags(memory, wqe) & SendFlag.INLINE.bit()) != 0) {
            // The cursor stays where it was, which must not look like the start of what comes next.
            cursorSlot = NO_SLOT;
            if (payload > 0) {
                skb.addFrag(memory, SendQueue.data(wqe, 0) + window.bytesSent(), payload);
            }
            return true;
        }
        if (cursorSlot != window.currentSlot() || cursorPsn != window.psn()) {
            cursor.begin(memory, SendQueue.data(wqe, 0), SendQueue.numSge(memory, wqe));
            cursor.skip(window.bytesSent());
            cursorSlot = window.currentSlot();
        }
        return cursor.gather(skb, payload);
    }

    private long length(long wqe) {
        return Integer.toUnsignedLong(SendQueue.length(window.memory(), wqe));
    }

    /** Packets of a message; an empty one takes one, too. */
    private int packets(long bytes) {
        int mtu = qp.pathMtuBytes();
        return (int) Math.max(1, (bytes + mtu - 1) / mtu);
    }

    private int maxTrainPackets() {
        return Math.max(1, MAX_TRAIN_BYTES / qp.pathMtuBytes());
    }
}
