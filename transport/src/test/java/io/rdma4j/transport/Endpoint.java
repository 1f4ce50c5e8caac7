// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.NumberSequence;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.spi.ring.CompletionOwner;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.QueueOwner;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.spi.ring.RingReceiveBatch;
import io.rdma4j.verbs.spi.ring.RingSendBatch;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One side of a connection: an engine with rings, keys, buffers and memory, and the application above it. */
final class Endpoint implements QpPort, QueueOwner, AutoCloseable {
    /** Where the packets of an endpoint go. */
    interface Outlet {
        /** Takes over a packet that {@code from} sends. */
        void carry(SkBuff skb, Endpoint from);

        /** Attributes of {@code endpoint} are about to be set. */
        default void modifies(Endpoint endpoint) {}

        /** A packet for {@code endpoint} arrives, or its attributes are read. */
        default void receives(Endpoint endpoint) {}

        /** {@code endpoint} has registered memory that the peer may write to. */
        default void publishes(Endpoint endpoint, int rkey, MemorySegment memory) {}

        long nowNs();
    }

    static final int HEADROOM = 64;
    static final int BUFFER_BYTES = 4096 + 192;
    static final int PKEY = 0x8765;
    /** All that a region can grant, memory windows excepted. */
    static final int ALL_RIGHTS = AccessFlag.LOCAL_WRITE.bit()
            | AccessFlag.REMOTE_WRITE.bit()
            | AccessFlag.REMOTE_READ.bit()
            | AccessFlag.REMOTE_ATOMIC.bit()
            | AccessFlag.FLUSH_GLOBAL.bit()
            | AccessFlag.FLUSH_PERSISTENT.bit();

    private static final int BUFFERS = 512;
    private static final int MAX_REGIONS = 64;
    private static final int MAX_WINDOWS = 8;

    final int qpn;
    final Object protectionDomain = new Object();
    final KeyTable keys = new KeyTable(MAX_REGIONS, MAX_WINDOWS, NumberSequence.counting(1));
    final TransportContext context;
    final SendQueue sendQueue;
    final ReceiveQueue receiveQueue;
    final CompletionRing sendRing;
    final CompletionRing receiveRing;
    final QpEngine engine;
    final RingCompletionCursor sendCursor;
    final RingCompletionCursor receiveCursor;

    /** Asynchronous events raised so far. */
    final List<EventType> events = new ArrayList<>();

    final PairSettings settings;
    private final Outlet outlet;
    private final Arena arena = Arena.ofShared();
    private final SkBuffPool pool = new SkBuffPool(BUFFERS, BUFFER_BYTES);
    private final PacketContext packet = new PacketContext();
    private final RingSendBatch sends;
    private final RingReceiveBatch receives;

    /** The shared receive queue, if there is one. */
    final @Nullable SharedReceiveRing shared;

    /** How often the shared receive queue fell below its limit. */
    int limitEvents;

    /** Run whenever an armed send completion queue raises its event. */
    Runnable onSendCompletion = () -> {};

    /** How often the receive completion queue raised its event. */
    int receiveNotifications;

    /** How often the engine asked to be called, because buffers have left. */
    int wakeUps;

    /** While true all packets that arrive have met congestion. */
    boolean congested;

    /** While true {@link #allocate} finds nothing. */
    boolean outOfBuffers;

    /** While true acknowledgements wait. */
    boolean keepsAcknowledgements;

    @Override
    public boolean keepsAcknowledgement() {
        return keepsAcknowledgements;
    }

    /** What the path takes at once of what the peer reads in place; 0: it is like any network. */
    int burstBytes;

    /** While false the payload is not where the peer can read it. */
    boolean readsInPlace = true;

    /** How many messages make one buffer. */
    int messagesPerBuffer = 1;

    @Override
    public int messagesPerBuffer() {
        return messagesPerBuffer;
    }

    @Override
    public int burstBytes() {
        return burstBytes;
    }

    @Override
    public boolean readsInPlace(SkBuff train) {
        return readsInPlace;
    }

    Endpoint(Outlet outlet, int qpn, PairSettings settings) {
        this.outlet = outlet;
        this.qpn = qpn;
        this.settings = settings;
        context = new TransportContext("test" + qpn, keys, settings.options);
        sendQueue = new SendQueue(settings.queueEntries, settings.maxSge, settings.maxInlineData);
        receiveQueue = new ReceiveQueue(settings.queueEntries, settings.maxSge);
        sendRing = completionRing(() -> onSendCompletion.run());
        receiveRing = completionRing(() -> receiveNotifications++);
        QpType type = qpn == EnginePair.QPN_B && settings.typeB != null ? settings.typeB : settings.type;
        shared = qpn == EnginePair.QPN_B && settings.sharedReceives > 0
                ? new SharedReceiveRing(settings.sharedReceives, settings.maxSge, 0, _ -> limitEvents++)
                : null;
        engine = new QpEngine(qpn, settings.attributes(type), protectionDomain, queues(type), context, this);
        sends = new RingSendBatch(
                sendQueue, this, settings.postedType(), EnumSet.allOf(WrOpcode.class), Set.of(), true);
        receives = new RingReceiveBatch(receiveQueue, this);
        sendCursor = new RingCompletionCursor(sendRing, () -> {});
        receiveCursor = new RingCompletionCursor(receiveRing, () -> {});
    }

    private CompletionRing completionRing(Runnable onCompletion) {
        CqInitAttributes attributes =
                CqInitAttributes.of(settings.completionEntries).withTimestamps();
        return new CompletionRing(attributes, new CompletionOwner() {
            @Override
            public void completion() {
                onCompletion.run();
            }

            @Override
            public void error() {
                events.add(EventType.CQ_ERR);
            }

            @Override
            public long nanoTime() {
                return outlet.nowNs();
            }

            @Override
            public void deadlineChanged() {
                throw new AssertionError("nothing is moderated");
            }
        });
    }

    private QpQueues queues(QpType type) {
        if (shared != null) {
            SharedReceiveState receives = new SharedReceiveState(shared, protectionDomain, receiveRing);
            return QpQueues.shared(sendQueue, sendRing, receives, receiveRing);
        }
        return switch (type) {
            case XRC_INI -> QpQueues.initiator(sendQueue, sendRing);
            case XRC_TGT -> QpQueues.target();
            default -> new QpQueues(sendQueue, receiveQueue, sendRing, receiveRing);
        };
    }

    // What the device around an engine does

    @Override
    public @Nullable SkBuff allocate() {
        SkBuff skb = outOfBuffers ? null : pool.allocate();
        if (skb != null) {
            skb.reserve(HEADROOM);
        }
        return skb;
    }

    @Override
    public void transmit(SkBuff skb) {
        outlet.carry(skb, this);
    }

    /** Paths of the connection by number; packets that come over others are dropped, as a device does. */
    int primaryPath;

    int alternatePath = NO_PATH;
    private int formerPath = NO_PATH;
    private int arrivedOver;

    static final int NO_PATH = -1;

    @Override
    public boolean isOnPrimaryPath(SkBuff skb) {
        return arrivedOver == primaryPath;
    }

    @Override
    public boolean isOnAlternatePath(SkBuff skb) {
        return arrivedOver == alternatePath;
    }

    @Override
    public void migrate() {
        formerPath = primaryPath;
        primaryPath = alternatePath;
    }

    /** Where datagrams go: the other endpoint; there is no third. */
    private record Path(int handle, Rate staticRate) implements DatagramPath {}

    /** Handle of the one address handle there is. */
    static final int ADDRESS_HANDLE = 77;

    private Path path = new Path(ADDRESS_HANDLE, Rate.PORT_CURRENT);

    /** The other endpoint takes datagrams no faster. */
    void staticRate(Rate rate) {
        path = new Path(ADDRESS_HANDLE, rate);
    }

    /** Shared receive queues of the XRC domain, by number. */
    final Map<Integer, SharedReceiveState> xrcQueues = new HashMap<>();

    @Override
    public void transmit(SkBuff skb, DatagramPath to) {
        if (!to.equals(path)) {
            throw new AssertionError("a path that this endpoint did not give: " + to);
        }
        outlet.carry(skb, this);
    }

    @Override
    public @Nullable DatagramPath path(int addressHandle) {
        return addressHandle == ADDRESS_HANDLE ? path : null;
    }

    @Override
    public int mtuBytes() {
        return settings.mtu.bytes();
    }

    /** Forty bytes that a test knows again. */
    @Override
    public void copyRoute(SkBuff skb, MemorySegment target) {
        for (int i = 0; i < ROUTE_BYTES; i++) {
            target.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
        }
    }

    @Override
    public @Nullable SharedReceiveState xrcReceives(int number) {
        return xrcQueues.get(number);
    }

    @Override
    public void sendable() {
        wakeUps++;
    }

    @Override
    public int pkey(int index) {
        return PKEY + index;
    }

    @Override
    public int number() {
        return 1;
    }

    @Override
    public int pkeyIndex(int pkey) {
        return pkey - PKEY;
    }

    @Override
    public void event(EventType event) {
        events.add(event);
    }

    void receive(SkBuff skb, long nowNs) {
        receive(skb, primaryPath, nowNs);
    }

    void receive(SkBuff skb, int path, long nowNs) {
        arrivedOver = path;
        boolean known = path == primaryPath || path == formerPath;
        if (packet.parse(skb) && (known || engine.awaitsMigration() && packet.migrationRequest)) {
            packet.metCongestion(congested);
            outlet.receives(this);
            engine.onPacket(packet, nowNs);
        }
    }

    // What an application does

    /** Memory that the device may read and write. */
    TestRegion region(long bytes) {
        return region(bytes, protectionDomain, AccessFlag.LOCAL_WRITE.bit());
    }

    /** Memory that the peer, too, may do everything to. */
    TestRegion shared(long bytes) {
        return region(bytes, protectionDomain, ALL_RIGHTS);
    }

    TestRegion region(long bytes, Object domain, int access) {
        return region(arena, bytes, domain, access);
    }

    TestRegion region(Arena memoryOf, long bytes, Object domain, int access) {
        MemorySegment memory = memoryOf.allocate(bytes, 64);
        RegionKey key = keys.register(domain, memory, memory.address(), access);
        if (domain.equals(protectionDomain) && key.hasAccess(AccessFlag.REMOTE_WRITE.bit())) {
            outlet.publishes(this, key.key(), memory);
        }
        return new TestRegion(key, memory);
    }

    /** Posts a WRITE of the pieces to {@code target} of the peer. */
    void write(long wrId, TestRegion.Piece target, TestRegion.Piece... pieces) {
        complete(sends().wrId(wrId).rdmaWrite(target.lkey(), target.address()), pieces);
    }

    /** Posts a READ of {@code source} of the peer into the pieces, which say how much. */
    void read(long wrId, TestRegion.Piece source, TestRegion.Piece... pieces) {
        complete(sends().wrId(wrId).rdmaRead(source.lkey(), source.address()), pieces);
    }

    private static void complete(SendBatch batch, TestRegion.Piece... pieces) {
        for (TestRegion.Piece piece : pieces) {
            batch.sge(piece.lkey(), piece.address(), piece.lengthBytes());
        }
        batch.complete();
    }

    /** Begins a batch of sends. */
    SendBatch sends() {
        return sends.start();
    }

    /** Begins a batch of receives. */
    ReceiveBatch receives() {
        return shared == null ? receives.start() : shared.startReceive();
    }

    /** Posts a send of the pieces. */
    void send(long wrId, TestRegion.Piece... pieces) {
        complete(sends().wrId(wrId).send(), pieces);
    }

    /** Posts a datagram of the pieces to the other side, along its one address handle. */
    void datagram(long wrId, int remoteQpn, int qkey, TestRegion.Piece... pieces) {
        datagram(sends().wrId(wrId).send(), ADDRESS_HANDLE, remoteQpn, qkey, pieces);
    }

    /** Ends a batch of one request as a datagram. */
    void datagram(SendBatch batch, int addressHandle, int remoteQpn, int qkey, TestRegion.Piece... pieces) {
        int slot = sendQueue.ring().ownProducer();
        complete(batch, pieces);
        RingForgery.destination(sendQueue, slot, addressHandle, remoteQpn, qkey);
    }

    /** Posts a receive into the pieces. */
    void receive(long wrId, TestRegion.Piece... pieces) {
        ReceiveBatch batch = receives().receive(wrId);
        for (TestRegion.Piece piece : pieces) {
            batch.sge(piece.lkey(), piece.address(), piece.lengthBytes());
        }
        batch.complete();
    }

    /** Polls all completions of sends. */
    List<Completion> sendCompletions() {
        return poll(sendCursor);
    }

    /** Polls all completions of receives. */
    List<Completion> receiveCompletions() {
        return poll(receiveCursor);
    }

    /** Polls all completions of sends, in the form of {@link Completion#brief}. */
    List<String> sendResults() {
        return sendCompletions().stream().map(Completion::brief).toList();
    }

    /** Polls all completions of receives, in the form of {@link Completion#brief}. */
    List<String> receiveResults() {
        return receiveCompletions().stream().map(Completion::brief).toList();
    }

    static List<Completion> poll(RingCompletionCursor queue) {
        List<Completion> completions = new ArrayList<>();
        try (CompletionCursor cursor = queue.start()) {
            while (cursor.next()) {
                completions.add(Completion.at(cursor));
            }
        }
        return completions;
    }

    // State

    void modify(QpAttributes.Builder attributes) {
        outlet.modifies(this);
        engine.modify(attributes.build());
    }

    void modify(QpState state) {
        modify(QpAttributes.builder().state(state));
    }

    void init() {
        modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(settings.access)
                .qkey(settings.qkey));
    }

    void readyToReceive(int peerQpn, int peerPsn) {
        modify(QpAttributes.builder()
                .state(QpState.RTR)
                .pathMtu(settings.mtu)
                .destinationQpn(peerQpn)
                .rqPsn(peerPsn)
                .maxDestRdAtomic(settings.maxDestRdAtomic)
                .minRnrTimer(settings.minRnrTimer));
    }

    void readyToSend(int psn) {
        modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(settings.timeout)
                .retryCount(settings.retryCount)
                .rnrRetry(settings.rnrRetry)
                .sqPsn(psn)
                .maxRdAtomic(settings.maxRdAtomic));
    }

    @Override
    public QpState state() {
        return engine.state();
    }

    @Override
    public void sendDoorbell() {}

    @Override
    public void receiveDoorbell() {}

    TransportCounters counters() {
        return context.counters();
    }

    @Override
    public void close() {
        pool.close();
        arena.close();
        if (pool.leaked() != 0) {
            throw new RdmaException(Errno.EBUSY, pool.leaked() + " buffers leaked");
        }
    }
}
