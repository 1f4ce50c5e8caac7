// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.micro;

import io.rdma4j.base.Mtu;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.transport.QpEngine;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.NumberSequence;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.QueueOwner;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.spi.ring.RingReceiveBatch;
import io.rdma4j.verbs.spi.ring.RingSendBatch;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One side of a reliable connection without a device: an engine, its rings, its memory, and a queue of packets to the
 * other side.
 */
final class EngineSide implements QpPort, QueueOwner, AutoCloseable {
    private static final int HEADROOM = 64;
    private static final int BUFFERS = 512;
    private static final int BUFFER_BYTES = Mtu.MTU_4096.bytes() + 192;
    private static final int ENTRIES = 127;
    private static final int MEMORY_BYTES = 1 << 20;
    private static final int PAGE_BYTES = 4096;
    private static final int PKEY = 0xFFFF;
    private static final int FIRST_PSN = 0x123456;
    private static final int TIMEOUT = 14;
    private static final int BUDGET = 64;

    private final Arena arena = Arena.ofShared();
    private final SkBuffPool pool = new SkBuffPool(BUFFERS, BUFFER_BYTES);
    private final SkBuffQueue outgoing = new SkBuffQueue(BUFFERS);
    private final PacketContext packet = new PacketContext();
    private final RegionKey region;
    private final long address;
    private final QpEngine engine;
    private final RingSendBatch sends;
    private final RingReceiveBatch receives;
    private final RingCompletionCursor completions;

    EngineSide(int qpn) {
        KeyTable keys = new KeyTable(2, 1, NumberSequence.counting(1));
        MemorySegment memory = arena.allocate(MEMORY_BYTES, PAGE_BYTES);
        int rights = AccessFlag.LOCAL_WRITE.bit() | AccessFlag.REMOTE_WRITE.bit();
        address = memory.address();
        region = keys.register(this, memory, address, rights);
        SendQueue sendQueue = new SendQueue(ENTRIES, 1, 0);
        ReceiveQueue receiveQueue = new ReceiveQueue(ENTRIES, 1);
        CompletionRing ring = CompletionRing.silent(2 * ENTRIES + 1);
        TransportContext context = new TransportContext("engine", keys, TransportOptions.DEFAULT);
        QpInitAttributes attributes = QpInitAttributes.builder(null, null).build();
        engine = new QpEngine(qpn, attributes, this, new QpQueues(sendQueue, receiveQueue, ring, ring), context, this);
        sends = new RingSendBatch(sendQueue, this, QpType.RC, EnumSet.allOf(WrOpcode.class), Set.of(), false);
        receives = new RingReceiveBatch(receiveQueue, this);
        completions = new RingCompletionCursor(ring, () -> {});
    }

    /** Moves RESET to RTS. */
    void connect(int peerQpn) {
        engine.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(Set.of(AccessFlag.REMOTE_WRITE))
                .build());
        engine.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .pathMtu(Mtu.MTU_4096)
                .destinationQpn(peerQpn)
                .rqPsn(FIRST_PSN)
                .maxDestRdAtomic(1)
                .minRnrTimer(1)
                .build());
        engine.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(TIMEOUT)
                .retryCount(7)
                .rnrRetry(7)
                .sqPsn(FIRST_PSN)
                .maxRdAtomic(1)
                .build());
    }

    void postSend(int bytes, boolean signalled) {
        begin(signalled).send().sge(region.key(), address, bytes).complete();
    }

    void postWrite(EngineSide peer, int bytes, boolean signalled) {
        begin(signalled)
                .rdmaWrite(peer.region.key(), peer.address)
                .sge(region.key(), address, bytes)
                .complete();
    }

    private SendBatch begin(boolean signalled) {
        SendBatch batch = sends.start();
        return signalled ? batch.signaled() : batch;
    }

    void postReceive(int bytes) {
        receives.start().receive(0).sge(region.key(), address, bytes).complete();
    }

    /** Sends what is due now. */
    void transmit(long nowNs) {
        engine.pollTransmit(nowNs, BUDGET);
    }

    /** Processes the packets that {@code from} has sent. */
    void receiveFrom(EngineSide from, long nowNs) {
        for (SkBuff skb = from.outgoing.dequeue(); skb != null; skb = from.outgoing.dequeue()) {
            if (packet.parse(skb)) {
                engine.onPacket(packet, nowNs);
            }
            skb.free();
        }
    }

    /** Returns the number of requests completed since the last call. */
    int poll() {
        int count = 0;
        try (CompletionCursor cursor = completions.start()) {
            while (cursor.next()) {
                if (cursor.status() != WcStatus.SUCCESS) {
                    throw new IllegalStateException("completed with " + cursor.status());
                }
                count++;
            }
        }
        return count;
    }

    @Override
    public void close() {
        pool.close();
        arena.close();
    }

    // Calls of the engine

    @Override
    public @Nullable SkBuff allocate() {
        SkBuff skb = pool.allocate();
        if (skb != null) {
            skb.reserve(HEADROOM);
        }
        return skb;
    }

    @Override
    public void transmit(SkBuff skb) {
        if (!outgoing.enqueue(skb)) {
            skb.free();
        }
    }

    @Override
    public void transmit(SkBuff skb, DatagramPath path) {
        transmit(skb);
    }

    @Override
    public @Nullable DatagramPath path(int addressHandle) {
        return null;
    }

    @Override
    public int mtuBytes() {
        return Mtu.MTU_4096.bytes();
    }

    @Override
    public void copyRoute(SkBuff skb, MemorySegment target) {
        throw new UnsupportedOperationException("connections have no route to tell");
    }

    @Override
    public @Nullable SharedReceiveState xrcReceives(int number) {
        return null;
    }

    @Override
    public boolean isOnPrimaryPath(SkBuff skb) {
        return true;
    }

    @Override
    public boolean isOnAlternatePath(SkBuff skb) {
        return false;
    }

    @Override
    public void migrate() {
        throw new UnsupportedOperationException("there is one path");
    }

    @Override
    public int pkey(int index) {
        return PKEY;
    }

    @Override
    public int number() {
        return 1;
    }

    @Override
    public int pkeyIndex(int pkey) {
        return 0;
    }

    @Override
    public void event(EventType event) {
        // only COMM_EST: errors of the connection show as failed completions
    }

    // Calls of the rings

    @Override
    public QpState state() {
        return engine.state();
    }

    @Override
    public void sendDoorbell() {
        // the benchmark drives the engine
    }

    @Override
    public void receiveDoorbell() {
        // not needed: the engine reads the receive queue for each message
    }
}
