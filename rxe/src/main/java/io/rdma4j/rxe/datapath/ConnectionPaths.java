// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.PkeyTable;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.wire.Bth;
import org.jspecify.annotations.Nullable;

/**
 * The network paths of a queue pair with their partitions: the primary path of a connection, its alternate path, and
 * the former path before a migration. A datagram queue pair has a partition only. For the owner of the port loop only.
 */
final class ConnectionPaths {
    /** An index outside the P_Key table. */
    private static final int NO_PARTITION = -1;

    private record Path(NetworkPath network, int pkeyIndex) {}

    private final QpServices services;
    private final int qpn;

    private int destinationQpn;
    private @Nullable GlobalRoute route;
    private int serviceLevel;
    private int pkeyIndex = NO_PARTITION;
    private @Nullable NetworkPath primary;
    private @Nullable Path alternate;

    /** The path before a migration: the peer may use it until it migrates too. Null after any path was set. */
    private @Nullable Path former;

    ConnectionPaths(QpServices services, int qpn) {
        this.services = services;
        this.qpn = qpn;
    }

    /**
     * Applies the path attributes of a modify.
     *
     * @throws io.rdma4j.base.RdmaException as {@link NetworkPaths#ofConnection}; nothing is changed then
     */
    void apply(QpAttributes changes) {
        AddressVector vector = changes.has(QpAttribute.AV) ? changes.addressVector() : null;
        GlobalRoute newRoute = vector == null ? route : vector.route();
        int newLevel = vector == null ? serviceLevel : vector.serviceLevel();
        int newDestination = changes.has(QpAttribute.DEST_QPN) ? changes.destinationQpn() : destinationQpn;
        NetworkPath newPrimary =
                newRoute == null ? primary : services.paths().ofConnection(newRoute, newLevel, qpn, newDestination);
        AlternatePath fallback = changes.alternatePath();
        Path newAlternate = fallback == null ? alternate : path(fallback, newDestination);
        route = newRoute;
        serviceLevel = newLevel;
        destinationQpn = newDestination;
        primary = newPrimary;
        alternate = newAlternate;
        if (changes.has(QpAttribute.PKEY_INDEX)) {
            pkeyIndex = changes.pkeyIndex();
        }
        if (vector != null || fallback != null || changes.has(QpAttribute.PATH_MIG_STATE)) {
            former = null;
        }
    }

    private @Nullable Path path(AlternatePath fallback, int destination) {
        GlobalRoute to = fallback.addressVector().route();
        if (to == null) {
            return null;
        }
        int level = fallback.addressVector().serviceLevel();
        return new Path(services.paths().ofConnection(to, level, qpn, destination), fallback.pkeyIndex());
    }

    /** Makes the alternate path the primary one. Both are the same afterwards. */
    void migrate() {
        Path next = alternate;
        NetworkPath left = primary;
        if (next != null && left != null) {
            former = new Path(left, pkeyIndex);
            primary = next.network();
            route = next.network().route();
            serviceLevel = next.network().serviceLevel();
            pkeyIndex = next.pkeyIndex();
        }
    }

    /** Returns the path for packets of the connection; null before an address vector is set. */
    @Nullable
    NetworkPath primary() {
        return primary;
    }

    /** Returns true if these are the source and the destination of the primary path. */
    boolean leadsBetween(Gid own, Gid peer) {
        NetworkPath now = primary;
        return now != null && now.source().equals(own) && now.destination().equals(peer);
    }

    /** Returns true if a packet has the addresses of the connection (IBA 9.6.1.5). */
    boolean acceptsAddresses(SkBuff skb) {
        NetworkPath now = primary;
        return now != null && (now.isReversedBy(skb) || wasCarriedByFormer(skb));
    }

    /** Returns true if a packet belongs to the partition of the queue pair. */
    boolean acceptsPartition(SkBuff skb) {
        return isOfPartition(skb, pkeyIndex) || wasCarriedByFormer(skb);
    }

    /** Returns true if packets with this key belong to the partition of the primary path. */
    boolean acceptsPartition(int pkey) {
        return PkeyTable.matches(pkey, services.tables().pkeys().at(pkeyIndex));
    }

    private boolean isOfPartition(SkBuff skb, int index) {
        return PkeyTable.matches(
                Bth.pkey(skb.memory(), skb.data()), services.tables().pkeys().at(index));
    }

    private boolean wasCarriedBy(@Nullable Path path, SkBuff skb) {
        return path != null && path.network().isReversedBy(skb) && isOfPartition(skb, path.pkeyIndex());
    }

    private boolean wasCarriedByFormer(SkBuff skb) {
        return wasCarriedBy(former, skb);
    }

    /** Returns true if a packet came over the primary path. */
    boolean isOnPrimary(SkBuff skb) {
        NetworkPath now = primary;
        return now != null && now.isReversedBy(skb) && isOfPartition(skb, pkeyIndex);
    }

    /** Returns true if a packet came over the alternate path. */
    boolean isOnAlternate(SkBuff skb) {
        return wasCarriedBy(alternate, skb);
    }
}
