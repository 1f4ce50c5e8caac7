package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.DatagramPath;
import io.rdma4j.transport.PacketContext;
import io.rdma4j.transport.QpEngine;
import io.rdma4j.transport.QpPort;
import io.rdma4j.transport.QpQueues;
import io.rdma4j.transport.SharedReceives;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.GlobalRoute;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SignalType;
import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.verbs.queue.QueueOwner;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.RingReceiveBatch;
import io.rdma4j.verbs.queue.RingSendBatch;
import io.rdma4j.verbs.queue.SendQueue;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A queue pair of the device: the engine, the application's ends of its queues, and the path its packets take. */
final class RxeQp implements QpOps, QpPort, QueueOwner {
    private static final VarHandle RUNG;

    static {
        try {
            RUNG = MethodHandles.lookup().findVarHandle(RxeQp.class, "isRung", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What the engine carries out. */
    private static final Set<WrOpcode> OPERATIONS = EnumSet.of(
            WrOpcode.SEND,
            WrOpcode.SEND_WITH_IMM,
            WrOpcode.RDMA_WRITE,
            WrOpcode.RDMA_WRITE_WITH_IMM,
            WrOpcode.RDMA_READ,
            WrOpcode.ATOMIC_CMP_AND_SWP,
            WrOpcode.ATOMIC_FETCH_AND_ADD,
            WrOpcode.FLUSH,
            WrOpcode.ATOMIC_WRITE);

    private final RxePort port;
    private final QpEvents events;
    private final QpCapabilities capabilities;
    private final RingSendBatch sendBatch;
    private final RingReceiveBatch receiveBatch;
    private final QpEngine engine;

    /** Null until the queue pair has been given an address vector. */
    private @Nullable NetworkPath path;

    private int pkey;
    private int destinationQpn;
    private @Nullable GlobalRoute route;

    // Links of the port loop's lists; see there.
    @Nullable
    RxeQp nextRung;

    @Nullable
    RxeQp nextReady;

    boolean isReady;
    int heapIndex = -1;
    long queuedDeadlineNs;

    @SuppressWarnings("unused") // through RUNG
    private volatile boolean isRung;

    RxeQp(
            int qpn,
            RxePort port,
            RxePd pd,
            QpInitAttributes attributes,
            RxeCq sendCq,
            RxeCq receiveCq,
            QpEvents events) {
        this.port = port;
        this.events = events;
        QpCapabilities asked = attributes.capabilities();
        SendQueue sends = new SendQueue(asked.maxSendWr(), asked.maxSendSge(), asked.maxInlineData());
        ReceiveQueue receives = new ReceiveQueue(asked.maxReceiveWr(), asked.maxReceiveSge());
        this.capabilities = new QpCapabilities(
                sends.ring().capacity(),
                receives.ring().capacity(),
                sends.maxSge(),
                receives.maxSge(),
                sends.maxInlineData());
        this.sendBatch = new RingSendBatch(sends, this, attributes.type(), OPERATIONS);
        this.receiveBatch = new RingReceiveBatch(receives, this);
        this.engine = new QpEngine(
                qpn,
                attributes.type(),
                pd,
                attributes.signalType() == SignalType.ALL_WR,
                new QpQueues(sends, receives, sendCq.ring(), receiveCq.ring()),
                port.context(),
                this);
    }

    // Towards the application

    @Override
    public int qpn() {
        return engine.qpn();
    }

    @Override
    public QpCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public QpState state() {
        return engine.state();
    }

    @Override
    public void modify(QpAttributes attributes) {
        port.loop().exclusively(() -> {
            refuseIfBroken(attributes);
            applyPath(attributes);
            engine.modify(attributes, port.options().clock().nanoTime());
        });
        port.loop().ring(this);
    }

    /** The device may have found an error since the core looked. */
    private void refuseIfBroken(QpAttributes attributes) {
        boolean leaves = attributes.has(QpAttribute.STATE)
                && (attributes.state() == QpState.RESET || attributes.state() == QpState.ERR);
        if (engine.state() == QpState.ERR && !leaves) {
            throw new RdmaException(
                    Errno.EINVAL, "queue pair " + qpn() + " went to ERR meanwhile: only RESET and ERR are left");
        }
    }

    private void applyPath(QpAttributes attributes) {
        if (attributes.has(QpAttribute.PKEY_INDEX)) {
            pkey = port.pkey(attributes.pkeyIndex());
        }
        if (attributes.has(QpAttribute.DEST_QPN)) {
            destinationQpn = attributes.destinationQpn();
        }
        AddressVector vector = attributes.has(QpAttribute.AV) ? attributes.addressVector() : null;
        if (vector != null) {
            route = vector.route();
        }
        GlobalRoute newRoute = route;
        if (newRoute != null) {
            path = makePath(newRoute);
        }
    }

    private NetworkPath makePath(GlobalRoute to) {
        Gid source = port.gid(to.sourceGidIndex());
        if (source == null) {
            throw new RdmaException(Errno.EINVAL, "GID index " + to.sourceGidIndex() + " is empty");
        }
        if (source.isIpv4() != to.destination().isIpv4()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "the path from " + source + " to " + to.destination()
                            + " mixes IP versions: choose a GID index of the destination's version");
        }
        int sourcePort = port.sourcePort(to.flowLabel(), qpn(), destinationQpn);
        return new NetworkPath(
                source, to.destination(), to, sourcePort, port.options().udpPort());
    }

    @Override
    public QpAttributes query() {
        return port.loop().exclusively(engine::query);
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
    public void close() {
        port.loop().exclusively(() -> {
            port.loop().forget(this);
            port.queuePairs().remove(this);
        });
    }

    // Towards the queues

    @Override
    public void sendDoorbell() {
        port.loop().ring(this);
    }

    /** Receives are found when a message needs one; only a broken queue pair has to see them at once, to flush them. */
    @Override
    public void receiveDoorbell() {
        if (engine.state() == QpState.ERR) {
            port.loop().ring(this);
        }
    }

    // Towards the engine

    @Override
    public @Nullable SkBuff allocate() {
        return port.allocate();
    }

    @Override
    public void transmit(SkBuff skb) {
        NetworkPath to = path;
        if (to == null) {
            skb.free();
            return;
        }
        port.transmit(skb, to);
    }

    @Override
    public void transmit(SkBuff skb, DatagramPath to) {
        port.transmit(skb, (NetworkPath) to);
    }

    /** There are no address handles yet. */
    @Override
    public @Nullable DatagramPath path(int addressHandle) {
        return null;
    }

    @Override
    public int mtuBytes() {
        return port.activeMtu().bytes();
    }

    @Override
    public void copyRoute(SkBuff skb, MemorySegment target) {
        int ip = skb.networkHeader();
        boolean v4 = Ipv4.version(skb.memory(), ip) == Ipv4.VERSION;
        int bytes = v4 ? Ipv4.BYTES : Ipv6.BYTES;
        target.asSlice(0, ROUTE_BYTES).fill((byte) 0);
        MemorySegment.copy(skb.memory(), ip, target, ROUTE_BYTES - bytes, bytes);
    }

    /** There are no XRC domains yet. */
    @Override
    public @Nullable SharedReceives xrcReceives(int number) {
        return null;
    }

    @Override
    public int pkey(int index) {
        return port.pkey(index);
    }

    @Override
    public void event(EventType event) {
        events.event(event);
    }

    // Towards the port loop, by its owner

    void onPacket(PacketContext packet) {
        port.counters().receivedPackets += packet.packets();
        port.counters().receivedBytes += packet.payloadBytes();
        engine.onPacket(packet, port.nowNs());
        port.loop().ready(this);
    }

    QpEngine engine() {
        return engine;
    }

    @Nullable
    NetworkPath path() {
        return path;
    }

    int pkey() {
        return pkey;
    }

    /** True if the doorbell was silent: the caller puts the queue pair into the list of those whose doorbell was rung. */
    boolean markRung() {
        return !isRung && RUNG.compareAndSet(this, false, true);
    }

    void clearRung() {
        isRung = false;
    }
}
