// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.EngineCore;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.RawPort;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.requester.RawRequester;
import io.rdma4j.transport.responder.ReceiveSlot;
import io.rdma4j.transport.responder.Verdict;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;

/**
 * A queue pair of raw datagrams (IBA 9.8.4): a send request is a packet, a packet consumes a receive request, and the
 * engine does not interpret its contents. There are no sequence numbers, responses or timers.
 *
 * <p>The same loop calls it as {@link QpEngine}; packets leave through the {@link RawPort}. Nothing is allocated unless
 * an error occurs.
 */
public final class RawEngine extends Engine {
    private final RawPort port;
    private final RawRequester requester;
    private final ReceiveSlot receive;

    /**
     * Creates a raw queue pair in RESET.
     *
     * @param qpn 24 bits
     * @param attributes as the core checked them
     * @param protectionDomain whose memory it may use
     * @param queues the rings, whose client ends the application holds
     * @param context of the device
     * @param port where its packets go
     */
    public RawEngine(
            int qpn,
            QpSetup attributes,
            Object protectionDomain,
            QpQueues queues,
            TransportContext context,
            RawPort port) {
        super(new EngineCore(qpn, context, port));
        this.port = port;
        this.requester = new RawRequester(core(), port, queues, protectionDomain, attributes.signalType());
        this.receive = new ReceiveSlot(queues.source(protectionDomain), core());
    }

    /**
     * Handles a packet for this queue pair; the caller keeps ownership of the buffer, which is not changed. The packet
     * is ignored in a state without receives.
     *
     * @param skb whole, its link header included
     */
    public void onPacket(SkBuff skb) {
        if (!receives()) {
            return;
        }
        Verdict verdict = take(skb);
        if (verdict == Verdict.PASS) {
            CompletionEntry entry = receive.completion(WcStatus.SUCCESS, WcOpcode.RECV);
            entry.byteLength = skb.len();
            core().counters().receives++;
            if (!receive.complete(entry, false)) {
                enterError();
            }
        } else if (verdict == Verdict.RECEIVER_NOT_READY) {
            core().counters().droppedPackets++;
        } else {
            breakOff(verdict);
        }
    }

    private boolean receives() {
        QpState state = state();
        return state == QpState.RTR || state == QpState.RTS || state == QpState.SQD || state == QpState.SQE;
    }

    private Verdict take(SkBuff skb) {
        Verdict verdict = receive.take();
        if (verdict != Verdict.PASS) {
            return verdict;
        }
        if (skb.len() > receive.bytesLeft()) {
            return Verdict.RECEIVE_TOO_SHORT;
        }
        try {
            return receive.scatter(skb, 0, skb.len()) ? Verdict.PASS : Verdict.RECEIVE_PROTECTION;
        } catch (InternalError fault) {
            return Verdict.MEMORY_FAULT;
        }
    }

    /**
     * Ends the queue pair because the receive request is invalid. The peer does not retransmit the packet, so the
     * application is notified.
     */
    private void breakOff(Verdict verdict) {
        WcStatus status = verdict.receiveStatus();
        if (status != null && receive.isHeld()) {
            receive.complete(receive.completion(status, WcOpcode.RECV), true);
        }
        enterError();
    }

    @Override
    public void breakDown(WcStatus status) {
        if (state() != QpState.RESET) {
            requester.breakDown(status);
            enterError();
        }
    }

    /** There are no deadlines. */
    @Override
    public void onTimeout(long nowNs) {
        // no timers
    }

    @Override
    public long nextDeadlineNs() {
        return Deadline.NEVER;
    }

    @Override
    public boolean pollTransmit(long nowNs, int budget) {
        flush();
        int left = budget;
        while (left > 0 && core().startsRequests() && requester.send()) {
            left--;
        }
        return left == 0;
    }

    @Override
    void forget() {
        requester.reset();
        receive.reset();
    }

    @Override
    void flushSends() {
        requester.flush();
    }

    @Override
    void flushReceives() {
        receive.flush();
    }

    @Override
    void onFlushed() {
        if (receive.isShared()) {
            port.event(EventType.QP_LAST_WQE_REACHED);
        }
    }
}
