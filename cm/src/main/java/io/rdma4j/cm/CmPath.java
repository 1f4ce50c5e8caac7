// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.GlobalRoute;
import java.util.Objects;

/**
 * A path of a connection, seen from this end. Corresponds to {@code struct sa_path_rec}.
 *
 * @param addressVector port, destination and route; must have a global route, whose hop limit is at most 1 within an
 *     InfiniBand subnet
 * @param sourceGid the GID of this end
 * @param sourceLid the LID of this end, or 0
 * @param pkey P_Key of the connection: 16 bits
 * @param pkeyIndex its index in the table of the port
 * @param mtu path MTU
 * @param packetLifetime {@code packet_life_time}: 6 bits, exponent of 4.096 µs
 */
public record CmPath(
        AddressVector addressVector,
        Gid sourceGid,
        int sourceLid,
        int pkey,
        int pkeyIndex,
        Mtu mtu,
        int packetLifetime) {

    /** {@code CMA_IBOE_PACKET_LIFETIME} of Linux before 6.6. */
    private static final int PACKET_LIFETIME = 18;

    private static final int DEFAULT_PKEY = 0xFFFF;

    /**
     * {@return a path over RoCE with the default P_Key at index 0 and a packet lifetime of 18}
     *
     * @param addressVector port and route
     * @param sourceGid the GID of this end
     * @param mtu path MTU
     */
    public static CmPath roce(AddressVector addressVector, Gid sourceGid, Mtu mtu) {
        return new CmPath(addressVector, sourceGid, 0, DEFAULT_PKEY, 0, mtu, PACKET_LIFETIME);
    }

    /**
     * {@return this path with another lifetime}
     *
     * @param lifetime {@code packet_life_time}
     */
    public CmPath withPacketLifetime(int lifetime) {
        return new CmPath(addressVector, sourceGid, sourceLid, pkey, pkeyIndex, mtu, lifetime);
    }

    /** {@return the route} */
    GlobalRoute route() {
        return Objects.requireNonNull(addressVector.route(), "a path of a connection has a global route");
    }

    /** {@return the GID of the other end} */
    public Gid destinationGid() {
        return route().destination();
    }

    /**
     * {@return the address vector of the packets on this path: within an InfiniBand subnet it has a LID and no global
     * route} Corresponds to {@code ib_init_ah_attr_from_path}.
     */
    public AddressVector packetVector() {
        boolean isWithinSubnet = addressVector.dlid() != 0 && route().hopLimit() <= 1;
        return !isWithinSubnet
                ? addressVector
                : new AddressVector(
                        null,
                        addressVector.dlid(),
                        addressVector.serviceLevel(),
                        addressVector.sourcePathBits(),
                        addressVector.staticRate(),
                        addressVector.port());
    }

    /** The same path to another port. */
    CmPath to(Gid gid) {
        AddressVector vector = new CmAddress(addressVector, pkeyIndex).to(gid).addressVector();
        return new CmPath(vector, sourceGid, sourceLid, pkey, pkeyIndex, mtu, packetLifetime);
    }

    /** The way of the management datagrams of a connection over this path. */
    CmAddress address() {
        return new CmAddress(packetVector(), pkeyIndex);
    }

    /** The path as attribute of a queue pair. */
    AlternatePath asAlternatePath(int timeout) {
        return new AlternatePath(packetVector(), pkeyIndex, addressVector.port(), timeout);
    }

    /** Returns true if both paths have the same ends. */
    boolean hasEndsOf(CmPath other) {
        return sourceGid.equals(other.sourceGid) && destinationGid().equals(other.destinationGid());
    }
}
