package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.AlternatePath;
import io.rdma4j.verbs.GlobalRoute;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.wire.Bth;
import org.jspecify.annotations.Nullable;

/**
 * The ways of a queue pair through the network and the partition of each: the primary path of a connection, the alternate one that it
 * may move to, and the one that it moved away from. A queue pair of datagrams has a partition only. Belongs to the owner of
 * the port loop.
 */
final class ConnectionPaths {
    /** In no slot of the P_Key table, which may change at any time. */
    private static final int NO_PARTITION = -1;

    private record Path(NetworkPath network, int pkeyIndex) {}

    private final RxePort port;
    private final int qpn;

    private int destinationQpn;
    private @Nullable GlobalRoute route;
    private int serviceLevel;
    private int pkeyIndex = NO_PARTITION;
    private @Nullable NetworkPath primary;
    private @Nullable Path alternate;

    /** Until the peer has followed, what it sends comes this way; unknown again as soon as a path is set. */
    private @Nullable Path former;

    /** @param qpn of the queue pair */
    ConnectionPaths(RxePort port, int qpn) {
        this.port = port;
        this.qpn = qpn;
    }

    /**
     * Takes over what a modify says of paths.
     *
     * @throws io.rdma4j.base.RdmaException as {@link NetworkPath#ofConnection}; then nothing has changed
     */
    void apply(QpAttributes changes) {
        AddressVector vector = changes.has(QpAttribute.AV) ? changes.addressVector() : null;
        GlobalRoute newRoute = vector == null ? route : vector.route();
        int newLevel = vector == null ? serviceLevel : vector.serviceLevel();
        int newDestination = changes.has(QpAttribute.DEST_QPN) ? changes.destinationQpn() : destinationQpn;
        NetworkPath newPrimary =
                newRoute == null ? primary : NetworkPath.ofConnection(port, newRoute, newLevel, qpn, newDestination);
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
        return new Path(NetworkPath.ofConnection(port, to, level, qpn, destination), fallback.pkeyIndex());
    }

    /** The alternate path becomes the primary one; both are the same now. */
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

    /** Where packets of the connection are sent to; null until it was given an address vector. */
    @Nullable
    NetworkPath primary() {
        return primary;
    }

    /** True if the primary path leads from one address to the other. */
    boolean leadsBetween(Gid own, Gid peer) {
        NetworkPath now = primary;
        return now != null && now.source().equals(own) && now.destination().equals(peer);
    }

    /** True if a packet has the addresses of the connection (IBA 9.6.1.5). */
    boolean acceptsAddresses(SkBuff skb) {
        NetworkPath now = primary;
        return now != null && (now.isReversedBy(skb) || wasCarriedByFormer(skb));
    }

    /** True if a packet is of the queue pair's partition. */
    boolean acceptsPartition(SkBuff skb) {
        return isOfPartition(skb, pkeyIndex) || wasCarriedByFormer(skb);
    }

    /** True if packets with this key are of the primary path's partition. */
    boolean acceptsPartition(int pkey) {
        return PkeyTable.matches(pkey, port.pkeys().at(pkeyIndex));
    }

    private boolean isOfPartition(SkBuff skb, int index) {
        return PkeyTable.matches(
                Bth.pkey(skb.memory(), skb.data()), port.pkeys().at(index));
    }

    private boolean wasCarriedBy(@Nullable Path path, SkBuff skb) {
        return path != null && path.network().isReversedBy(skb) && isOfPartition(skb, path.pkeyIndex());
    }

    private boolean wasCarriedByFormer(SkBuff skb) {
        return wasCarriedBy(former, skb);
    }

    /** True if a packet came over the primary path. */
    boolean isOnPrimary(SkBuff skb) {
        NetworkPath now = primary;
        return now != null && now.isReversedBy(skb) && isOfPartition(skb, pkeyIndex);
    }

    /** True if a packet came over the alternate path. */
    boolean isOnAlternate(SkBuff skb) {
        return wasCarriedBy(alternate, skb);
    }
}
