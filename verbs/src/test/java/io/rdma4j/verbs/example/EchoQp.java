// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.example;

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
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.spi.ring.SgeLayout;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A queue pair that is its own peer; only sends. */
final class EchoQp implements QpOps, QueueOwner {
    private final int qpn;
    private final EchoProvider.EchoPd pd;
    private final EchoCq sendCq;
    private final EchoCq receiveCq;
    private final boolean signalAll;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final RingSendBatch sendBatch;
    private final RingReceiveBatch receiveBatch;
    private final CompletionEntry entry = new CompletionEntry();
    private QpAttributes current = QpAttributes.builder().state(QpState.RESET).build();

    EchoQp(int qpn, EchoProvider.EchoPd pd, QpSetup attributes, QpResources resources) {
        QpCapabilities asked = attributes.capabilities();
        this.qpn = qpn;
        this.pd = pd;
        this.sendCq = (EchoCq) resources.sendCq();
        this.receiveCq = (EchoCq) resources.receiveCq();
        this.signalAll = attributes.signalType() == SignalType.ALL_WR;
        this.sends = new SendQueue(asked.maxSendWr(), asked.maxSendSge(), asked.maxInlineData());
        this.receives = new ReceiveQueue(asked.maxReceiveWr(), asked.maxReceiveSge());
        this.sendBatch = new RingSendBatch(
                sends, this, attributes.type(), Set.of(WrOpcode.SEND), attributes.sendOperations(), false);
        this.receiveBatch = new RingReceiveBatch(receives, this);
    }

    @Override
    public int qpn() {
        return qpn;
    }

    @Override
    public QpCapabilities capabilities() {
        return new QpCapabilities(sends.ring().capacity(), receives.ring().capacity(), 1, 1, sends.maxInlineData());
    }

    @Override
    public synchronized QpState state() {
        return current.state();
    }

    @Override
    public synchronized void modify(QpAttributes attributes) {
        current = current.with(attributes);
        work();
    }

    @Override
    public synchronized QpAttributes query() {
        return current;
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
        work();
    }

    @Override
    public void receiveDoorbell() {
        work();
    }

    /** Messages wait for receives, as after an RNR NAK. In ERR all requests are flushed. */
    private synchronized void work() {
        while (hasNext(sends.ring()) && state() == QpState.RTS && hasNext(receives.ring())) {
            transfer();
        }
        while (state() == QpState.ERR && hasNext(sends.ring())) {
            completeSend(WcStatus.WR_FLUSH_ERR);
        }
        while (state() == QpState.ERR && hasNext(receives.ring())) {
            completeReceive(WcStatus.WR_FLUSH_ERR, 0);
        }
    }

    private static boolean hasNext(Ring ring) {
        return ring.ownConsumer() != ring.acquireProducer();
    }

    private static long head(Ring ring) {
        return ring.offset(ring.ownConsumer());
    }

    private void transfer() {
        long send = head(sends.ring());
        long receive = head(receives.ring());
        MemorySegment from = SendHeader.of(sends.memory(), send).hasFlag(SendFlag.INLINE)
                ? sends.memory()
                        .bytes()
                        .asSlice(
                                SendQueue.data(send, 0),
                                SendHeader.of(sends.memory(), send).length())
                : element(
                        sends.memory(),
                        SendQueue.data(send, 0),
                        SendHeader.of(sends.memory(), send).numSge());
        MemorySegment to = element(
                receives.memory(),
                ReceiveQueue.sge(receive, 0),
                ReceiveQueue.numSge(ReceiveQueue.sizes(receives.memory(), receive)));
        if (from == null || to == null || from.byteSize() > to.byteSize()) {
            current = current.with(QpAttributes.builder().state(QpState.ERR).build());
            completeSend(from == null ? WcStatus.LOC_PROT_ERR : WcStatus.REM_INV_REQ_ERR);
            return;
        }
        to.copyFrom(from);
        completeReceive(WcStatus.SUCCESS, (int) from.byteSize());
        completeSend(WcStatus.SUCCESS);
    }

    /** At most one scatter/gather element, because of MAX_SGE. */
    private MemorySegment element(RingMemory queue, long sge, int count) {
        return count == 0
                ? MemorySegment.NULL
                : pd.find(
                        SgeLayout.lkey(SgeLayout.lengthAndKey(queue, sge)),
                        SgeLayout.address(queue, sge),
                        SgeLayout.length(SgeLayout.lengthAndKey(queue, sge)));
    }

    private void completeSend(WcStatus status) {
        long wqe = head(sends.ring());
        if (signalAll
                || status != WcStatus.SUCCESS
                || SendHeader.of(sends.memory(), wqe).hasFlag(SendFlag.SIGNALED)) {
            sendCq.ring.post(entry.begin(SendHeader.of(sends.memory(), wqe).wrId(), status, WcOpcode.SEND, qpn), false);
        }
        sends.ring().publishConsumer(sends.ring().next(sends.ring().ownConsumer()));
    }

    private void completeReceive(WcStatus status, int bytes) {
        long wqe = head(receives.ring());
        entry.begin(ReceiveQueue.wrId(receives.memory(), wqe), status, WcOpcode.RECV, qpn).byteLength = bytes;
        receiveCq.ring.post(entry, false);
        receives.ring().publishConsumer(receives.ring().next(receives.ring().ownConsumer()));
    }

    @Override
    public void close() {}
}
