// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.HcaLimits;
import io.rdma4j.hca.PkeyTable;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.hca.carrier.LocalPeers;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.QpEngine;
import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A queue pair of a transport service: its engine, and the paths of its packets. */
public final class HcaQp extends LoopQp implements QpPort {
    private final QpServices services;
    private final QpDomain domain;
    private final @Nullable XrcReceives xrcReceives;
    private final boolean blocksLoopback;
    private final boolean privilegedQkeys;
    private final QpEngine engine;

    private final ConnectionPaths paths;

    /** The connection leads to this port. */
    private boolean mayJoinLink;

    /** @param privilegedQkeys whether a datagram queue pair may use a Q_Key with bit 31 */
    public HcaQp(int qpn, QpRequest request, QpServices services, boolean privilegedQkeys) {
        QpSetup attributes = request.attributes();
        super(request, services.common());
        this.services = services;
        this.domain = request.domain();
        this.xrcReceives = request.xrcReceives();
        this.blocksLoopback = attributes.createFlags().contains(QpCreateFlag.BLOCK_MULTICAST_LOOPBACK);
        this.privilegedQkeys = privilegedQkeys;
        this.paths = new ConnectionPaths(services.carrier(), services.tables().pkeys(), qpn);
        this.engine = new QpEngine(qpn, attributes, domain, request.queues(), services.context(), this);
    }

    // Interface to the application

    /** Rejects Q_Keys with bit 31, which are for system services (IBA 10.2.5), unless the options permit them. */
    @Override
    void check(QpAttributes attributes) {
        boolean privileged = attributes.has(QpAttribute.QKEY) && attributes.qkey() < 0;
        if (privileged && type() == QpType.UD && !privilegedQkeys) {
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
        CarrierPath primary = paths.primary();
        if (primary != null && attributes.has(QpAttribute.AV)) {
            services.local().resolve(primary);
            mayJoinLink = type() == QpType.RC && services.links().mayJoin(primary);
        }
    }

    @Override
    void joinLink() {
        CarrierPath primary = type() == QpType.RC ? paths.primary() : null;
        if (primary == null) {
            return;
        }
        if (mayJoinLink) {
            joinPeer(primary);
        } else {
            services.local().join(this, primary);
        }
    }

    /** Makes a link to a queue pair of this port. */
    private void joinPeer(CarrierPath primary) {
        if (link() != null || !services.links().mayJoin(primary)) {
            return;
        }
        HcaQp peer = services.common().queuePairs().find(engine.destinationQpn());
        if (peer != null
                && state().servesRequests()
                && peer.state().servesRequests()
                && peer.isPeerOf(this)
                && isPeerOf(peer)) {
            QpLink made = services.links().join(engine, peer.engine);
            link(made);
            peer.link(made);
        }
    }

    /** Returns true if the peer in another process may announce a ring. */
    boolean mayHaveRing() {
        return type() == QpType.RC && !mayJoinLink && state().servesRequests();
    }

    /**
     * Returns the number of the protection domain whose memory the peer in another process may store into; 0 if all its
     * WRITEs have to be executed here.
     */
    int storableDomain() {
        return engine.permitsWrites() ? domain.number() : 0;
    }

    @Override
    void dissolveLink() {
        services.links().dissolve(link());
    }

    /** Returns true if packets of the other queue pair are for this one, and it may have a link. */
    boolean isPeerOf(HcaQp other) {
        CarrierPath path = other.paths.primary();
        return mayJoinLink
                && link() == null
                && path != null
                && other.engine.destinationQpn() == qpn()
                && isPeerAt(path.destination(), path.source())
                && acceptsPkey(other.engine.pkey());
    }

    @Override
    public void attachMulticast(Gid group, int lid) {
        loop().exclusively(() -> services.groups().attach(group, this));
    }

    @Override
    public void detachMulticast(Gid group, int lid) {
        loop().exclusively(() -> services.groups().detach(group, this));
    }

    // Interface to the engine

    @Override
    public void transmit(SkBuff skb) {
        CarrierPath to = paths.primary();
        if (to == null) {
            skb.free();
            return;
        }
        skb.meta().owner(this);
        output().transmit(skb, to);
    }

    @Override
    public void transmit(SkBuff skb, DatagramPath to) {
        skb.meta().owner(this);
        if (type() == QpType.SMI) {
            output().transmitManagement(skb, (CarrierPath) to);
        } else {
            output().transmit(skb, (CarrierPath) to);
        }
    }

    @Override
    public boolean keepsAcknowledgement() {
        return loop().keepsAcknowledgement(this);
    }

    @Override
    public int messagesPerBuffer() {
        return SkBuff.MAX_FRAGS;
    }

    @Override
    public int burstBytes() {
        CarrierPath to = paths.primary();
        return to == null ? 0 : peers().burstBytes(to);
    }

    @Override
    public boolean readsInPlace(SkBuff train) {
        CarrierPath to = paths.primary();
        return to != null && peers().readsInPlace(train, to);
    }

    @Override
    public @Nullable DatagramPath path(int addressHandle) {
        return domain.path(addressHandle);
    }

    @Override
    public int mtuBytes() {
        return services.carrier().link().activeMtu().bytes();
    }

    @Override
    public void copyRoute(SkBuff skb, MemorySegment target) {
        headers().copyGrh(skb, target);
    }

    @Override
    public void describeSource(SkBuff skb, CompletionEntry entry) {
        headers().describeSource(skb, entry);
    }

    @Override
    public @Nullable SharedReceiveState xrcReceives(int number) {
        return xrcReceives == null ? null : xrcReceives.find(number);
    }

    @Override
    public int pkey(int index) {
        return pkeys().at(index);
    }

    @Override
    public int number() {
        return HcaLimits.PORT;
    }

    @Override
    public int pkeyIndex(int ofPacket) {
        return pkeys().indexOf(ofPacket);
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
        dissolveLink();
        paths.migrate();
        mayJoinLink = false;
    }

    // Interface to the port loop, for its owner

    /** @param metCongestion whether the packet has met congestion */
    void onPacket(PacketContext packet, boolean metCongestion) {
        TransportCounters counters = services.context().counters();
        counters.receivedPackets += packet.packets();
        counters.receivedBytes += packet.payloadBytes();
        packet.metCongestion(metCongestion);
        QpLink held = hold();
        try {
            passStores();
            engine.onPacket(packet, loop().nowNs());
        } catch (InternalError fault) {
            onMemoryFault();
        } finally {
            release(held);
        }
        loop().ready(this);
    }

    private PortLoop loop() {
        return services.common().loop();
    }

    private PortOutput output() {
        return services.common().output();
    }

    private CarrierHeaders headers() {
        return services.carrier().headers();
    }

    private LocalPeers peers() {
        return services.carrier().localPeers();
    }

    private PkeyTable pkeys() {
        return services.tables().pkeys();
    }

    @Override
    public QpEngine engine() {
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
            return headers().isToThisPort(skb);
        }
        return paths.acceptsAddresses(skb) ? !isForged(skb) : asksToMigrate(skb);
    }

    /** Returns true if a packet has the peer's address, but another process must have sent it. */
    private boolean isForged(SkBuff skb) {
        CarrierPath peer = paths.primary();
        return skb.shinfo().offload() == null && peer != null && peers().isForged(skb, peer);
    }

    /**
     * Returns true if a packet may come over the alternate path. The engine checks this after the ICRC is verified.
     * Without a prepared migration, MigReq is ignored.
     */
    private boolean asksToMigrate(SkBuff skb) {
        return engine.awaitsMigration() && Bth.migrationRequest(skb.memory(), skb.data());
    }

    /** Returns the bytes of the headers in front of the BTH of a connection's packets. */
    int headerBytes() {
        CarrierPath to = paths.primary();
        return to == null ? 0 : to.headerBytes();
    }

    /** Returns true if messages from {@code peer} to {@code own} belong to this connection. */
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
                && headers().isFromThisPort(skb);
    }

    /**
     * Returns true if a packet is in the partition of the queue pair; for the general services, in any of the port (IBA
     * 10.9.8). Subnet management has no partitions.
     */
    boolean acceptsPkey(SkBuff skb) {
        return switch (type()) {
            case SMI -> true;
            case GSI -> pkeys().accepts(Bth.pkey(skb.memory(), skb.data()));
            default -> paths.acceptsPartition(skb) || asksToMigrate(skb);
        };
    }
}
