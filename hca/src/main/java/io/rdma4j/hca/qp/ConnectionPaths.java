// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.PkeyTable;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
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

    private record Path(CarrierPath network, AddressVector vector, int pkeyIndex) {}

    private final Carrier carrier;
    private final PkeyTable pkeys;
    private final int qpn;

    private int destinationQpn;
    private @Nullable AddressVector vector;
    private int pkeyIndex = NO_PARTITION;
    private @Nullable CarrierPath primary;
    private @Nullable Path alternate;

    /** The path before a migration: the peer may use it until it migrates too. Null after any path was set. */
    private @Nullable Path former;

    ConnectionPaths(Carrier carrier, PkeyTable pkeys, int qpn) {
        this.carrier = carrier;
        this.pkeys = pkeys;
        this.qpn = qpn;
    }

    /**
     * Applies the path attributes of a modify.
     *
     * @throws io.rdma4j.base.RdmaException as {@link io.rdma4j.hca.carrier.PathResolver#ofConnection}; nothing is
     * changed then
     */
    void apply(QpAttributes changes) {
        AddressVector newVector = changes.has(QpAttribute.AV) ? changes.addressVector() : vector;
        int newDestination = changes.has(QpAttribute.DEST_QPN) ? changes.destinationQpn() : destinationQpn;
        CarrierPath newPrimary = newVector == null ? primary : path(newVector, newDestination);
        AlternatePath fallback = changes.alternatePath();
        Path newAlternate = fallback == null
                ? alternate
                : new Path(
                        path(fallback.addressVector(), newDestination), fallback.addressVector(), fallback.pkeyIndex());
        vector = newVector;
        destinationQpn = newDestination;
        primary = newPrimary;
        alternate = newAlternate;
        if (changes.has(QpAttribute.PKEY_INDEX)) {
            pkeyIndex = changes.pkeyIndex();
        }
        if (changes.has(QpAttribute.AV) || fallback != null || changes.has(QpAttribute.PATH_MIG_STATE)) {
            former = null;
        }
    }

    private CarrierPath path(AddressVector to, int destination) {
        return carrier.paths().ofConnection(to, qpn, destination);
    }

    /** Makes the alternate path the primary one. Both are the same afterwards. */
    void migrate() {
        Path next = alternate;
        CarrierPath left = primary;
        AddressVector leftVector = vector;
        if (next != null && left != null && leftVector != null) {
            former = new Path(left, leftVector, pkeyIndex);
            primary = next.network();
            vector = next.vector();
            pkeyIndex = next.pkeyIndex();
        }
    }

    /** Returns the path for packets of the connection; null before an address vector is set. */
    @Nullable
    CarrierPath primary() {
        return primary;
    }

    /** Returns true if these are the source and the destination of the primary path. */
    boolean leadsBetween(Gid own, Gid peer) {
        CarrierPath now = primary;
        return now != null && now.source().equals(own) && now.destination().equals(peer);
    }

    /** Returns true if a packet has the addresses of the connection (IBA 9.6.1.5). */
    boolean acceptsAddresses(SkBuff skb) {
        CarrierPath now = primary;
        return now != null && (isReverse(skb, now) || wasCarriedByFormer(skb));
    }

    /** Returns true if a packet belongs to the partition of the queue pair. */
    boolean acceptsPartition(SkBuff skb) {
        return isOfPartition(skb, pkeyIndex) || wasCarriedByFormer(skb);
    }

    /** Returns true if packets with this key belong to the partition of the primary path. */
    boolean acceptsPartition(int pkey) {
        return PkeyTable.matches(pkey, pkeys.at(pkeyIndex));
    }

    private boolean isReverse(SkBuff skb, CarrierPath path) {
        return carrier.headers().isReverse(skb, path);
    }

    private boolean isOfPartition(SkBuff skb, int index) {
        return PkeyTable.matches(Bth.pkey(skb.memory(), skb.data()), pkeys.at(index));
    }

    private boolean wasCarriedBy(@Nullable Path path, SkBuff skb) {
        return path != null && isReverse(skb, path.network()) && isOfPartition(skb, path.pkeyIndex());
    }

    private boolean wasCarriedByFormer(SkBuff skb) {
        return wasCarriedBy(former, skb);
    }

    /** Returns true if a packet came over the primary path. */
    boolean isOnPrimary(SkBuff skb) {
        CarrierPath now = primary;
        return now != null && isReverse(skb, now) && isOfPartition(skb, pkeyIndex);
    }

    /** Returns true if a packet came over the alternate path. */
    boolean isOnAlternate(SkBuff skb) {
        return wasCarriedBy(alternate, skb);
    }
}
