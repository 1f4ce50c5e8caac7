package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.DatagramPath;
import io.rdma4j.transport.Handover;
import io.rdma4j.transport.PacketContext;
import io.rdma4j.transport.QpEngine;
import io.rdma4j.transport.QpPort;
import io.rdma4j.transport.QpQueues;
import io.rdma4j.transport.SharedReceives;
import io.rdma4j.transport.WholeMessage;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCreateFlag;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A queue pair of a transport service: its engine, and the path its packets take. */
final class RxeQp extends LoopQp implements QpPort {
    private final RxePort port;
    private final RxePd pd;
    private final QpType type;
    private final boolean blocksLoopback;
    private final @Nullable RxeXrcd xrcDomain;
    private final QpEngine engine;

    private final ConnectionPaths paths;

    /** @param resources all made by this provider */
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

    // Towards the application

    /** IBA 10.2.5: the upper half of the Q_Keys is for services of the system. */
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
            port.handover().expect(primary);
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

    // Towards the engine

    @Override
    public void transmit(SkBuff skb) {
        NetworkPath to = paths.primary();
        if (to == null) {
            skb.free();
            return;
        }
        skb.owner(this);
        port.output().transmit(skb, to);
    }

    @Override
    public void transmit(SkBuff skb, DatagramPath to) {
        skb.owner(this);
        port.output().transmit(skb, ((RxeAh) to).path());
    }

    @Override
    public Handover handOver(WholeMessage message) {
        NetworkPath to = paths.primary();
        return to == null ? Handover.NO_WAY : port.handover().handOver(this, message, to);
    }

    @Override
    public boolean answer(WholeMessage message) {
        NetworkPath to = paths.primary();
        return to != null && port.handover().answer(message, to);
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
    @SuppressWarnings("ReferenceEquality") // a protection domain is itself, not its value
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
    @SuppressWarnings("ReferenceEquality") // a domain is itself, not its value
    public @Nullable SharedReceives xrcReceives(int number) {
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

    // Towards the port loop, by its owner

    /** @param metCongestion what the IP header says */
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
     * The peer, in another process, has handed over something.
     *
     * @param open whether messages may be taken so
     */
    void onNote(WholeMessage note, boolean open) {
        try {
            engine.onNote(note, open, port.netLoop().nowNs());
        } catch (InternalError fault) {
            onMemoryFault();
        }
        port.loop().ready(this);
    }

    @Override
    QpEngine engine() {
        return engine;
    }

    /** True for opcodes of its service; a connection is told of congestion, too. */
    boolean takes(Opcode opcode) {
        return opcode.transport() == engine.service() || opcode == Opcode.CNP && isConnection();
    }

    private boolean isConnection() {
        return engine.service() != TransportClass.UD;
    }

    /** True if a packet came from the peer of the connection; a datagram may come from anybody (IBA 9.6.1.5). */
    boolean acceptsRoute(SkBuff skb) {
        if (!isConnection()) {
            return port.gids().containsDestination(skb);
        }
        return paths.acceptsAddresses(skb) ? !isForged(skb) : asksToMigrate(skb);
    }

    /** True if a packet has the peer's address, and it is certain that another process has sent it. */
    private boolean isForged(SkBuff skb) {
        NetworkPath peer = paths.primary();
        return skb.offload() == null && peer != null && port.handover().isForged(skb, peer);
    }

    /**
     * True if a packet may come over the alternate path: the engine looks at that when it is known to be intact. Where no migration
     * is prepared MigReq means nothing.
     */
    private boolean asksToMigrate(SkBuff skb) {
        return engine.awaitsMigration() && Bth.migrationRequest(skb.memory(), skb.data());
    }

    /** True if messages may be handed over to this queue pair, which has the first address, by who has the second one. */
    boolean isPeerAt(Gid own, Gid peer) {
        return paths.leadsBetween(own, peer);
    }

    /** True if packets with this key would be of the connection's partition. */
    boolean acceptsPkey(int pkey) {
        return paths.acceptsPartition(pkey);
    }

    /** True if a multicast datagram is this queue pair's own, come back, which it does not want. */
    boolean isUnwantedEcho(SkBuff skb) {
        return blocksLoopback
                && Deth.sourceQpn(skb.memory(), skb.data() + (long) Bth.BYTES) == qpn()
                && port.gids().containsSource(skb);
    }

    /** True if a packet is of the queue pair's partition; the general services are in all of the port's (IBA 10.9.8). */
    boolean acceptsPkey(SkBuff skb) {
        return type == QpType.GSI
                ? port.pkeys().accepts(Bth.pkey(skb.memory(), skb.data()))
                : paths.acceptsPartition(skb) || asksToMigrate(skb);
    }
}
