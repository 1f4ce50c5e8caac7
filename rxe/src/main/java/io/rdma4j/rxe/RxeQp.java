package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.QpEngine;
import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.transport.port.EagerMessage;
import io.rdma4j.transport.port.EagerResult;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCreateFlag;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A queue pair of a transport service: its engine, and the paths of its packets. */
final class RxeQp extends LoopQp implements QpPort {
    private final RxePort port;
    private final RxePd pd;
    private final QpType type;
    private final boolean blocksLoopback;
    private final @Nullable RxeXrcd xrcDomain;
    private final QpEngine engine;

    private final ConnectionPaths paths;

    /** @param resources all created by this provider */
    RxeQp(int qpn, RxePort port, RxePd pd, QpInitAttributes attributes, QpResources resources, QpEvents events) {
        QpQueues queues = WorkQueues.make(attributes, resources);
        super(port, attributes, queues, events);
        this.port = port;
        this.pd = pd;
        this.type = attributes.type();
        this.blocksLoopback = attributes.createFlags().contains(QpCreateFlag.BLOCK_MULTICAST_LOOPBACK);
        this.xrcDomain = (RxeXrcd) resources.xrcDomain();
        this.paths = new ConnectionPaths(port, qpn);
        this.engine = new QpEngine(qpn, attributes, pd, queues, port.context(), this);
    }

    // Interface to the application

    /** Rejects Q_Keys with bit 31, which are for system services (IBA 10.2.5), unless the options permit them. */
    @Override
    void check(QpAttributes attributes) {
        boolean privileged = attributes.has(QpAttribute.QKEY) && attributes.qkey() < 0;
        if (privileged && type == QpType.UD && !port.options().privilegedQkeys()) {
            throw new RdmaException(
                    Errno.EPERM,
                    "Q_Key 0x" + Integer.toHexString(attributes.qkey())
                            + " is privileged, as all with bit 31: open the device with"
                            + " RxeOptions.withPrivilegedQkeys()");
        }
    }

    @Override
    void apply(QpAttributes attributes) {
        paths.apply(attributes);
        NetworkPath primary = paths.primary();
        if (primary != null && attributes.has(QpAttribute.AV)) {
            port.localTransport().expect(primary);
        }
    }

    @Override
    public void attachMulticast(Gid group, int lid) {
        port.netLoop().exclusively(() -> port.attachMulticast(group, this));
    }

    @Override
    public void detachMulticast(Gid group, int lid) {
        port.netLoop().exclusively(() -> port.detachMulticast(group, this));
    }

    // Interface to the engine

    @Override
    public void transmit(SkBuff skb) {
        NetworkPath to = paths.primary();
        if (to == null) {
            skb.free();
            return;
        }
        skb.meta().owner(this);
        port.output().transmit(skb, to);
    }

    @Override
    public void transmit(SkBuff skb, DatagramPath to) {
        skb.meta().owner(this);
        port.output().transmit(skb, ((RxeAh) to).path());
    }

    @Override
    public EagerResult sendEager(EagerMessage message) {
        NetworkPath to = paths.primary();
        return to == null ? EagerResult.NO_WAY : port.localTransport().sendEager(this, message, to);
    }

    @Override
    public boolean answer(EagerMessage message) {
        NetworkPath to = paths.primary();
        return to != null && port.localTransport().answer(message, to);
    }

    @Override
    public boolean keepsAcknowledgement() {
        return port.loop().keepsAcknowledgement(this);
    }

    @Override
    public int messagesPerBuffer() {
        return SkBuff.MAX_FRAGS;
    }

    @Override
    public int burstBytes() {
        NetworkPath to = paths.primary();
        return to == null ? 0 : port.output().burstBytes(to);
    }

    @Override
    public boolean readsInPlace(SkBuff train) {
        NetworkPath to = paths.primary();
        return to != null && port.output().readsInPlace(train, to);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // one object per protection domain
    public @Nullable DatagramPath path(int addressHandle) {
        RxeAh handle = port.addressHandles().find(addressHandle);
        return handle != null && handle.pd() == pd ? handle : null;
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
        for (int i = 0; i < ROUTE_BYTES; i += Long.BYTES) {
            target.set(ValueLayout.JAVA_LONG_UNALIGNED, i, 0);
        }
        MemorySegment.copy(skb.memory(), ip, target, ROUTE_BYTES - bytes, bytes);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // one object per XRC domain
    public @Nullable SharedReceiveState xrcReceives(int number) {
        RxeSrq srq = port.sharedReceiveQueues().find(number);
        return srq != null && xrcDomain != null && srq.domain() == xrcDomain ? srq.receives() : null;
    }

    @Override
    public int pkey(int index) {
        return port.pkeys().at(index);
    }

    @Override
    public int number() {
        return RxeLimits.PORT;
    }

    @Override
    public int pkeyIndex(int ofPacket) {
        return port.pkeys().indexOf(ofPacket);
    }

    @Override
    public boolean isOnPrimaryPath(SkBuff skb) {
        return paths.isOnPrimary(skb);
    }

    @Override
    public boolean isOnAlternatePath(SkBuff skb) {
        return paths.isOnAlternate(skb);
    }

    @Override
    public void migrate() {
        paths.migrate();
    }

    // Interface to the port loop, for its owner

    /** @param metCongestion whether the IP header has the ECN codepoint CE */
    void onPacket(PacketContext packet, boolean metCongestion) {
        port.counters().receivedPackets += packet.packets();
        port.counters().receivedBytes += packet.payloadBytes();
        packet.metCongestion(metCongestion);
        try {
            engine.onPacket(packet, port.netLoop().nowNs());
        } catch (InternalError fault) {
            onMemoryFault();
        }
        port.loop().ready(this);
    }

    /**
     * Handles a local message of the peer in another process.
     *
     * @param open whether eager messages may be accepted
     */
    void onLocalMessage(EagerMessage note, boolean open) {
        try {
            engine.onLocalMessage(note, open, port.netLoop().nowNs());
        } catch (InternalError fault) {
            onMemoryFault();
        }
        port.loop().ready(this);
    }

    @Override
    QpEngine engine() {
        return engine;
    }

    /** Returns true for opcodes of the queue pair's service, and for CNPs of a connection. */
    boolean takes(Opcode opcode) {
        return opcode.transport() == engine.service() || opcode == Opcode.CNP && isConnection();
    }

    private boolean isConnection() {
        return engine.service() != TransportClass.UD;
    }

    /**
     * Returns true if a packet came from the peer of the connection; a datagram may come from any source (IBA 9.6.1.5).
     */
    boolean acceptsRoute(SkBuff skb) {
        if (!isConnection()) {
            return port.gids().containsDestination(skb);
        }
        return paths.acceptsAddresses(skb) ? !isForged(skb) : asksToMigrate(skb);
    }

    /** Returns true if a packet has the peer's address, but another process must have sent it. */
    private boolean isForged(SkBuff skb) {
        NetworkPath peer = paths.primary();
        return skb.shinfo().offload() == null
                && peer != null
                && port.localTransport().isForged(skb, peer);
    }

    /**
     * Returns true if a packet may come over the alternate path. The engine checks this after the ICRC is verified.
     * Without a prepared migration, MigReq is ignored.
     */
    private boolean asksToMigrate(SkBuff skb) {
        return engine.awaitsMigration() && Bth.migrationRequest(skb.memory(), skb.data());
    }

    /** Returns true if eager messages from {@code peer} to {@code own} belong to this connection. */
    boolean isPeerAt(Gid own, Gid peer) {
        return paths.leadsBetween(own, peer);
    }

    /** Returns true if the key belongs to the partition of the connection. */
    boolean acceptsPkey(int pkey) {
        return paths.acceptsPartition(pkey);
    }

    /** Returns true if a multicast datagram was sent by this queue pair, and it blocks multicast loopback. */
    boolean isUnwantedEcho(SkBuff skb) {
        return blocksLoopback
                && Deth.sourceQpn(skb.memory(), skb.data() + (long) Bth.BYTES) == qpn()
                && port.gids().containsSource(skb);
    }

    /**
     * Returns true if a packet is in the partition of the queue pair; for the general services, in any of the port (IBA
     * 10.9.8).
     */
    boolean acceptsPkey(SkBuff skb) {
        return type == QpType.GSI
                ? port.pkeys().accepts(Bth.pkey(skb.memory(), skb.data()))
                : paths.acceptsPartition(skb) || asksToMigrate(skb);
    }
}
