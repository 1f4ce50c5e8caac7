// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.QueueOwner;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.Ring;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.RingReceiveBatch;
import io.rdma4j.verbs.spi.ring.RingSendBatch;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.spi.ring.SgeLayout;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

/** Copies messages to the receive queue of the destination queue pair. */
public final class LoopQp implements QpOps, QueueOwner {
    private static final int RECEIVE_BYTES = 256;
    private static final Set<WrOpcode> OPERATIONS = EnumSet.of(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.BIND_MW);

    private final LoopDevice device;
    private final LoopPd pd;
    private final boolean signalAll;
    private final QpType type;
    private final LoopCq sendCq;
    private final LoopCq receiveCq;
    private final LoopSrq srq;
    private final LoopXrcd domain;
    private final LoopRwqTable table;
    private final QpEvents events;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final RingSendBatch sendBatch;
    private final RingReceiveBatch receiveBatch;
    private final CompletionEntry entry = new CompletionEntry();
    private final Set<Gid> groups = new HashSet<>();

    /** Copy of the current receive. */
    private final RingMemory receive = allocateReceive();

    private final int qpn;
    private volatile QpState state = QpState.RESET;
    private QpAttributes current =
            QpAttributes.builder().state(QpState.RESET).accessFlags(Set.of()).build();

    LoopQp(LoopDevice device, LoopPd pd, QpSetup attributes, QpResources resources, QpEvents events) {
        QpCapabilities asked = attributes.capabilities();
        this.device = device;
        this.pd = pd;
        this.type = attributes.type();
        this.signalAll = attributes.signalType() == SignalType.ALL_WR;
        this.sendCq = (LoopCq) resources.sendCq();
        this.receiveCq = (LoopCq) resources.receiveCq();
        this.srq = (LoopSrq) resources.srq();
        this.domain = (LoopXrcd) resources.xrcDomain();
        this.table = (LoopRwqTable) resources.rwqIndirectionTable();
        this.events = events;
        this.sends = new SendQueue(asked.maxSendWr(), asked.maxSendSge(), asked.maxInlineData());
        this.receives = new ReceiveQueue(asked.maxReceiveWr(), asked.maxReceiveSge());
        this.sendBatch = new RingSendBatch(sends, this, type, OPERATIONS, attributes.sendOperations(), false);
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
                    .capabilities(current.has(QpAttribute.CAP) ? current.capabilities() : capabilities())
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

    @Override
    public void attachMulticast(Gid group, int lid) {
        groups.add(group);
    }

    @Override
    public void detachMulticast(Gid group, int lid) {
        groups.remove(group);
    }

    /** For tests: the multicast groups of the queue pair. */
    public Set<Gid> groups() {
        return groups;
    }

    /** For tests: raises an event of the queue pair. */
    public void raise(EventType type) {
        events.event(type);
    }

    /** For tests: the device moves the queue pair to ERR. */
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
            } else if (state != QpState.RTS || !execute(wqe)) {
                break;
            }
            ring.publishConsumer(ring.next(ring.ownConsumer()));
        }
        while (state == QpState.ERR && srq == null && takeReceive(null)) {
            completeReceive(receiveCq, WcStatus.WR_FLUSH_ERR, 0, 0, null);
        }
    }

    static RingMemory allocateReceive() {
        return RingMemory.allocate(RECEIVE_BYTES);
    }

    private LoopQp destination(long wqe) {
        return device.find(type == QpType.UD ? SendOperands.remoteQpn(sends.memory(), wqe) : current.destinationQpn());
    }

    /** The shared queue of a message; null if the receiver uses its own queue. */
    private LoopSrq sharedQueue(LoopQp sender, long wqe) {
        if (type != QpType.XRC_TGT) {
            return srq;
        }
        LoopSrq named = device.srq(SendOperands.xrcSrq(sender.sends.memory(), wqe));
        return named != null && named.domain() == domain ? named : null;
    }

    /** Copies the next receive of the queue into {@link #receive}. */
    private boolean takeReceive(LoopSrq shared) {
        if (shared != null) {
            return shared.ring().take(receive, 0);
        }
        return take(receives.ring(), receive);
    }

    /** Copies the next element of a receive ring; false if there is none. */
    static boolean take(Ring ring, RingMemory target) {
        if (ring.ownConsumer() == ring.acquireProducer()) {
            return false;
        }
        ring.memory().copyTo(ring.offset(ring.ownConsumer()), target, 0, ring.elementBytes());
        ring.publishConsumer(ring.next(ring.ownConsumer()));
        return true;
    }

    private boolean execute(long wqe) {
        if (SendHeader.of(sends.memory(), wqe).opcode() == WrOpcode.BIND_MW.code()) {
            RingMemory memory = sends.memory();
            LoopMr region =
                    SendOperands.rangeLength(memory, wqe) == 0 ? null : device.mr(SendOperands.regionKey(memory, wqe));
            device.window(SendOperands.objectHandle(memory, wqe)).bind(SendOperands.newKey(memory, wqe), region);
            completeSend(wqe, WcStatus.SUCCESS);
            return true;
        }
        return deliver(wqe);
    }

    /** False if the peer is not ready: the sender retries later. */
    private boolean deliver(long wqe) {
        LoopQp peer = destination(wqe);
        if (type == QpType.UD
                && device.addressHandle(SendOperands.addressHandle(sends.memory(), wqe))
                                .pd()
                        != pd) {
            completeSend(wqe, WcStatus.LOC_QP_OP_ERR);
            return true;
        }
        if (peer == null || !peer.state.servesRequests()) {
            return false;
        }
        byte[] message = gather(wqe);
        if (message == null) {
            state = QpState.ERR;
            completeSend(wqe, WcStatus.LOC_PROT_ERR);
            return true;
        }
        LoopWq spread = peer.table == null ? null : peer.table.queue(this);
        LoopSrq shared = peer.sharedQueue(this, wqe);
        if (!(spread == null ? peer.takeReceive(shared) : spread.take(peer.receive))) {
            return false;
        }
        boolean fits = peer.scatter(message);
        LoopCq shares = shared != null && shared.cq() != null ? shared.cq() : peer.receiveCq;
        LoopCq cq = spread == null ? shares : spread.cq();
        peer.completeReceive(cq, fits ? WcStatus.SUCCESS : WcStatus.LOC_LEN_ERR, message.length, wqe, this);
        if (!fits) {
            peer.state = QpState.ERR;
            state = QpState.ERR;
        }
        completeSend(wqe, fits ? WcStatus.SUCCESS : WcStatus.REM_INV_REQ_ERR);
        return true;
    }

    private byte[] gather(long wqe) {
        RingMemory memory = sends.memory();
        byte[] message = new byte[(int) SendHeader.of(memory, wqe).length()];
        MemorySegment target = MemorySegment.ofArray(message);
        if ((SendHeader.of(memory, wqe).flags() & SendFlag.INLINE.bit()) != 0) {
            target.copyFrom(memory.bytes().asSlice(SendQueue.data(wqe, 0), message.length));
            return message;
        }
        long at = 0;
        for (int i = 0; i < SendHeader.of(memory, wqe).numSge(); i++) {
            MemorySegment piece = piece(memory, SendQueue.data(wqe, i));
            if (piece == null) {
                return null;
            }
            MemorySegment.copy(piece, 0, target, at, piece.byteSize());
            at += piece.byteSize();
        }
        return message;
    }

    private MemorySegment piece(RingMemory memory, long sge) {
        LoopMr mr = device.mr(SgeLayout.lkey(SgeLayout.lengthAndKey(memory, sge)));
        return mr == null
                ? null
                : mr.slice(pd, SgeLayout.address(memory, sge), (int)
                        SgeLayout.length(SgeLayout.lengthAndKey(memory, sge)));
    }

    private boolean scatter(byte[] message) {
        int at = 0;
        for (int i = 0; i < ReceiveQueue.numSge(ReceiveQueue.sizes(receive, 0)) && at < message.length; i++) {
            MemorySegment piece = piece(receive, ReceiveQueue.sge(0, i));
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
        RingMemory memory = sends.memory();
        boolean signaled = (SendHeader.of(memory, wqe).flags() & SendFlag.SIGNALED.bit()) != 0;
        if (signalAll || signaled || status != WcStatus.SUCCESS) {
            WcOpcode opcode =
                    WrOpcode.ofCode(SendHeader.of(memory, wqe).opcode()).completion();
            sendCq.post(entry.begin(SendHeader.of(memory, wqe).wrId(), status, opcode, qpn), false);
        }
    }

    private void completeReceive(LoopCq cq, WcStatus status, int bytes, long wqe, LoopQp sender) {
        entry.begin(ReceiveQueue.wrId(receive, 0), status, WcOpcode.RECV, qpn);
        boolean solicited = false;
        if (sender != null) {
            RingMemory memory = sender.sends.memory();
            entry.byteLength = bytes;
            entry.sourceQp = sender.qpn;
            solicited = (SendHeader.of(memory, wqe).flags() & SendFlag.SOLICITED.bit()) != 0;
            if (SendHeader.of(memory, wqe).opcode() == WrOpcode.SEND_WITH_IMM.code()) {
                entry.immediate = SendHeader.of(memory, wqe).immediate();
                entry.flags = WcFlag.WITH_IMM.bit();
            }
        }
        cq.post(entry, solicited);
    }
}
