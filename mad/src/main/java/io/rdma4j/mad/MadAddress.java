// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import org.jspecify.annotations.Nullable;

/**
 * The queue pair that a datagram goes to, or that it came from; in the latter case it is the address of a reply.
 *
 * @param vector path to the port of the queue pair
 * @param qpn its number: 24 bits
 * @param qkey its Q_Key
 * @param pkeyIndex index of the datagram's P_Key in the P_Key table of the local port, from 0
 */
public record MadAddress(AddressVector vector, int qpn, int qkey, int pkeyIndex) {
    /** Number of the general services queue pair of every port. */
    public static final int GSI_QPN = 1;
    /** Q_Key of all general services (IBA 13.5.1). */
    public static final int GSI_QKEY = 0x8001_0000;

    /**
     * {@return the address of the subnet management queue pair of a port}
     *
     * @param vector path to the port; LID 0xFFFF for a directed route
     */
    public static MadAddress smi(AddressVector vector) {
        return new MadAddress(vector, 0, 0, 0);
    }

    /**
     * {@return the address of the general services queue pair of a port}
     *
     * @param vector path to the port
     * @param pkeyIndex index of the datagram's P_Key in the P_Key table of the local port, from 0
     */
    public static MadAddress gsi(AddressVector vector, int pkeyIndex) {
        return new MadAddress(vector, GSI_QPN, GSI_QKEY, pkeyIndex);
    }

    /** {@return the GID of the remote port; null for a path without global route} */
    public @Nullable Gid gid() {
        GlobalRoute route = vector.route();
        return route == null ? null : route.destination();
    }

    /** {@return the index of the local GID in the GID table of the local port; 0 for a path without global route} */
    public int gidIndex() {
        GlobalRoute route = vector.route();
        return route == null ? 0 : route.sourceGidIndex();
    }

    /** {@return the LID of the remote port: 16 bits; 0 on Ethernet} */
    public int lid() {
        return vector.dlid();
    }

    /**
     * {@return true if both queue pairs are of the same port: by GID if both paths have a global route, by LID if
     * neither has one}
     *
     * @param other address from the point of view of the same local port
     */
    public boolean isSamePort(MadAddress other) {
        Gid gid = gid();
        Gid otherGid = other.gid();
        if (gid == null || otherGid == null) {
            return gid == null && otherGid == null && lid() == other.lid();
        }
        return gid.equals(otherGid);
    }
}
