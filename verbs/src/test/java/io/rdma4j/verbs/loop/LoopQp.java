package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.SignalType;
import io.rdma4j.verbs.WcFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.verbs.queue.QueueOwner;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.Ring;
import io.rdma4j.verbs.queue.RingReceiveBatch;
import io.rdma4j.verbs.queue.RingSendBatch;
import io.rdma4j.verbs.queue.SendQueue;
import io.rdma4j.verbs.queue.SgeLayout;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;

/** Hands messages over to the receive queue of the queue pair whose number is its destination. */
public final class LoopQp implements QpOps, QueueOwner {
    private final LoopDevice device;
    private final LoopPd pd;
    private final boolean signalAll;
    private final LoopCq sendCq;
    private final LoopCq receiveCq;
    private final QpEvents events;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final RingSendBatch sendBatch;
    private final RingReceiveBatch receiveBatch;
    private final CompletionEntry entry = new CompletionEntry();
    private final int qpn;
    private volatile QpState state = QpState.RESET;
    private QpAttributes current =
            QpAttributes.builder().state(QpState.RESET).accessFlags(Set.of()).build();

    LoopQp(
            LoopDevice device,
            LoopPd pd,
            QpInitAttributes attributes,
            LoopCq sendCq,
            LoopCq receiveCq,
            QpEvents events) {
        QpCapabilities asked = attributes.capabilities();
        this.device = device;
        this.pd = pd;
        this.signalAll = attributes.signalType() == SignalType.ALL_WR;
        this.sendCq = sendCq;
        this.receiveCq = receiveCq;
        this.events = events;
        this.sends = new SendQueue(asked.maxSendWr(), asked.maxSendSge(), asked.maxInlineData());
        this.receives = new ReceiveQueue(asked.maxReceiveWr(), asked.maxReceiveSge());
        this.sendBatch = new RingSendBatch(sends, this, attributes.type(), EnumSet.allOf(WrOpcode.class));
        this.receiveBatch = new RingReceiveBatch(receives, this);
        this.qpn = device.add(this);
    }

    @Override
    public int qpn() {
        return qpn;
    }

    @Override
    public QpCapabilities capabilities() {
        return new QpCapabilities(
                sends.ring().capacity(),
                receives.ring().capacity(),
                sends.maxSge(),
                receives.maxSge(),
                sends.maxInlineData());
    }

    @Override
    public QpState state() {
        return state;
    }

    @Override
    public void modify(QpAttributes attributes) {
        synchronized (device) {
            current = current.with(attributes);
            state = current.state();
            if (state == QpState.RESET) {
                sends.ring().publishConsumer(sends.ring().acquireProducer());
                receives.ring().publishConsumer(receives.ring().acquireProducer());
            }
            device.progress();
        }
    }

    @Override
    public QpAttributes query() {
        synchronized (device) {
            return current.toBuilder()
                    .state(state)
                    .currentState(state)
                    .capabilities(capabilities())
                    .build();
        }
    }

    @Override
    public SendBatch startSend() {
        return sendBatch.start();
    }

    @Override
    public ReceiveBatch startReceive() {
        return receiveBatch.start();
    }

    @Override
    public void sendDoorbell() {
        device.progress();
    }

    @Override
    public void receiveDoorbell() {
        device.progress();
    }

    @Override
    public void close() {
        device.remove(this);
    }

    /** For tests: something happened to the queue pair. */
    public void raise(EventType type) {
        events.event(type);
    }

    /** For tests: the device itself stops the queue pair. */
    public void fail() {
        synchronized (device) {
            state = QpState.ERR;
            device.progress();
        }
    }

    void run() {
        Ring ring = sends.ring();
        while (ring.ownConsumer() != ring.acquireProducer()) {
            long wqe = ring.offset(ring.ownConsumer());
            if (state == QpState.ERR) {
                completeSend(wqe, WcStatus.WR_FLUSH_ERR);
            } else if (state != QpState.RTS || !deliver(wqe)) {
                break;
            }
            ring.publishConsumer(ring.next(ring.ownConsumer()));
        }
        while (state == QpState.ERR && hasReceive()) {
            completeReceive(WcStatus.WR_FLUSH_ERR, 0, 0, null);
        }
    }

    private boolean hasReceive() {
        return receives.ring().ownConsumer() != receives.ring().acquireProducer();
    }

    /** False if the peer is not ready: try again later. */
    private boolean deliver(long wqe) {
        LoopQp peer = device.find(current.destinationQpn());
        if (peer == null || !peer.state.servesRequests() || !peer.hasReceive()) {
            return false;
        }
        byte[] message = gather(wqe);
        if (message == null) {
            state = QpState.ERR;
            completeSend(wqe, WcStatus.LOC_PROT_ERR);
            return true;
        }
        boolean fits = peer.scatter(message);
        peer.completeReceive(fits ? WcStatus.SUCCESS : WcStatus.LOC_LEN_ERR, message.length, wqe, this);
        if (!fits) {
            peer.state = QpState.ERR;
            state = QpState.ERR;
        }
        completeSend(wqe, fits ? WcStatus.SUCCESS : WcStatus.REM_INV_REQ_ERR);
        return true;
    }

    private byte[] gather(long wqe) {
        MemorySegment memory = sends.memory();
        byte[] message = new byte[SendQueue.length(memory, wqe)];
        MemorySegment target = MemorySegment.ofArray(message);
        if ((SendQueue.flags(memory, wqe) & SendFlag.INLINE.bit()) != 0) {
            target.copyFrom(memory.asSlice(SendQueue.data(wqe, 0), message.length));
            return message;
        }
        long at = 0;
        for (int i = 0; i < SendQueue.numSge(memory, wqe); i++) {
            MemorySegment piece = piece(memory, SendQueue.data(wqe, i));
            if (piece == null) {
                return null;
            }
            MemorySegment.copy(piece, 0, target, at, piece.byteSize());
            at += piece.byteSize();
        }
        return message;
    }

    private MemorySegment piece(MemorySegment memory, long sge) {
        LoopMr mr = device.mr(SgeLayout.lkey(memory, sge));
        return mr == null ? null : mr.slice(pd, SgeLayout.address(memory, sge), SgeLayout.length(memory, sge));
    }

    private boolean scatter(byte[] message) {
        MemorySegment memory = receives.memory();
        long wqe = receives.ring().offset(receives.ring().ownConsumer());
        int at = 0;
        for (int i = 0; i < ReceiveQueue.numSge(memory, wqe) && at < message.length; i++) {
            MemorySegment piece = piece(memory, ReceiveQueue.sge(wqe, i));
            if (piece == null) {
                return false;
            }
            int bytes = (int) Math.min(piece.byteSize(), message.length - at);
            MemorySegment.copy(message, at, piece, ValueLayout.JAVA_BYTE, 0, bytes);
            at += bytes;
        }
        return at == message.length;
    }

    private void completeSend(long wqe, WcStatus status) {
        MemorySegment memory = sends.memory();
        boolean signaled = (SendQueue.flags(memory, wqe) & SendFlag.SIGNALED.bit()) != 0;
        if (signalAll || signaled || status != WcStatus.SUCCESS) {
            sendCq.post(entry.begin(SendQueue.wrId(memory, wqe), status, WcOpcode.SEND, qpn), false);
        }
    }

    private void completeReceive(WcStatus status, int bytes, long wqe, LoopQp sender) {
        Ring ring = receives.ring();
        long wrId = ReceiveQueue.wrId(receives.memory(), ring.offset(ring.ownConsumer()));
        ring.publishConsumer(ring.next(ring.ownConsumer()));
        entry.begin(wrId, status, WcOpcode.RECV, qpn);
        boolean solicited = false;
        if (sender != null) {
            MemorySegment memory = sender.sends.memory();
            entry.byteLength = bytes;
            solicited = (SendQueue.flags(memory, wqe) & SendFlag.SOLICITED.bit()) != 0;
            if (SendQueue.opcode(memory, wqe) == WrOpcode.SEND_WITH_IMM.code()) {
                entry.immediate = SendQueue.immediate(memory, wqe);
                entry.flags = WcFlag.WITH_IMM.bit();
            }
        }
        receiveCq.post(entry, solicited);
    }
}
