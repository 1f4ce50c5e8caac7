// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a management datagram: the destination of one that is sent, or the way back to the sender of one
 * that was received. The queue pair is always QP1.
 *
 * @param addressVector the path, with the local port
 * @param pkeyIndex index in the P_Key table of that port
 */
public record CmAddress(AddressVector addressVector, int pkeyIndex) {
    /** {@return number of the local port, from 1} */
    public int port() {
        return addressVector.port();
    }

    /** GID of the other end; null without global route. */
    @Nullable
    Gid gid() {
        GlobalRoute route = addressVector.route();
        return route == null ? null : route.destination();
    }

    /** The same way to another port. */
    CmAddress to(Gid gid) {
        GlobalRoute route = addressVector.route();
        GlobalRoute other = route == null
                ? GlobalRoute.to(gid, 0)
                : new GlobalRoute(
                        gid, route.flowLabel(), route.sourceGidIndex(), route.hopLimit(), route.trafficClass());
        AddressVector vector = new AddressVector(
                other,
                addressVector.dlid(),
                addressVector.serviceLevel(),
                addressVector.sourcePathBits(),
                addressVector.staticRate(),
                addressVector.port());
        return new CmAddress(vector, pkeyIndex);
    }

    /** Returns true if both are the same end, as far as the addresses tell it. */
    boolean isSameEnd(CmAddress other) {
        Gid mine = gid();
        Gid its = other.gid();
        return mine == null || its == null ? addressVector.dlid() == other.addressVector.dlid() : mine.equals(its);
    }
}
