// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.TransportClass;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of a transport service as its requester, completer and responder see it: its creation attributes, the
 * attributes of its connection, and its port.
 */
public final class QpCore extends EngineCore {
    private final QpType type;
    private final TransportClass service;
    private final Object protectionDomain;
    private final boolean signalsAll;
    private final boolean sendsLarge;
    private final boolean agreesOnMaskedAtomics;
    private final QpQueues queues;
    private final QpPort port;
    private final ConnectionAttributes connection;

    /** Null until the application or the peer prepares a migration. */
    private @Nullable PathMigration migration;

    /** Null until a request needs it. */
    private @Nullable LocalOperations local;

    public QpCore(
            int qpn,
            QpSetup attributes,
            Object protectionDomain,
            QpQueues queues,
            TransportContext context,
            QpPort port) {
        super(qpn, context, port);
        this.type = attributes.type();
        this.service = serviceOf(type);
        this.protectionDomain = protectionDomain;
        this.signalsAll = attributes.signalType() == SignalType.ALL_WR;
        this.sendsLarge = attributes.createFlags().contains(QpCreateFlag.IPOIB_UD_LSO);
        this.agreesOnMaskedAtomics = attributes.createFlags().contains(QpCreateFlag.MASKED_ATOMICS);
        this.queues = queues;
        this.port = port;
        this.connection = new ConnectionAttributes(port, service == TransportClass.UD);
    }

    private static TransportClass serviceOf(QpType type) {
        return switch (type) {
            case RC -> TransportClass.RC;
            case UC -> TransportClass.UC;
            case UD, GSI, SMI -> TransportClass.UD;
            case XRC_INI, XRC_TGT -> TransportClass.XRC;
            default -> throw new RdmaException(Errno.EOPNOTSUPP, "queue pairs of type " + type + " have no transport");
        };
    }

    public QpType type() {
        return type;
    }

    /** The transport service; packets of other services are dropped. */
    public TransportClass service() {
        return service;
    }

    public Object protectionDomain() {
        return protectionDomain;
    }

    public boolean signalsAll() {
        return signalsAll;
    }

    /** True if large sends may be posted. */
    public boolean sendsLarge() {
        return sendsLarge;
    }

    /**
     * True if the application declared that the peer is rdma4j as well and that masked atomics may be used in both
     * directions.
     */
    public boolean agreesOnMaskedAtomics() {
        return agreesOnMaskedAtomics;
    }

    /** The device's ends of its queues. */
    public QpQueues queues() {
        return queues;
    }

    public SendQueue sendQueue() {
        return queues.sendQueue();
    }

    public QpPort port() {
        return port;
    }

    /** The attributes that are read for every packet. */
    public ConnectionAttributes connection() {
        return connection;
    }

    public PathMigration migration() {
        PathMigration made = migration;
        if (made == null) {
            made = new PathMigration(this, port);
            migration = made;
        }
        return made;
    }

    /** Goes back to the migration state MIGRATED. */
    public void resetMigration() {
        migration = null;
    }

    public MigrationState migrationState() {
        return migration == null ? MigrationState.MIGRATED : migration.state();
    }

    /** The MigReq bit of packets that are sent. */
    public boolean requestsMigration() {
        return migration == null || migration.isRequested();
    }

    /** See {@link PathMigration#admits}. */
    public boolean admits(PacketContext packet) {
        return migration == null || migration.admits(packet);
    }

    /** What executes the requests that send no packet. */
    public LocalOperations local() {
        LocalOperations made = local;
        if (made == null) {
            made = new LocalOperations(keys(), protectionDomain, this);
            local = made;
        }
        return made;
    }

    /** Native memory of one cache line, for use by the owner of the loop during one call. */
    public MemorySegment scratch() {
        return context().scratch();
    }

    /** IBA 9.8.4, 10.2.5: a datagram must carry this queue pair's Q_Key. */
    public boolean acceptsQueueKey(PacketContext packet) {
        boolean accepted = Deth.qkey(packet.memory(), packet.at(Header.DETH)) == connection.qkey();
        if (!accepted) {
            counters().qkeyViolations++;
        }
        return accepted;
    }

    /** True for a reliable connection in migration state MIGRATED, whose messages need not be packets. */
    public boolean isPlain() {
        return service == TransportClass.RC && requestsMigration();
    }
}
