// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.endpoint;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;

/**
 * Address vectors on the link of a target: by GID on Ethernet; by LID on InfiniBand, with or without a global route.
 */
public final class Paths {
    private Paths() {}

    /**
     * {@return the path to the port of a context}
     *
     * @param target the devices
     * @param peer the other context, or the own one
     */
    public static AddressVector to(EndpointTarget target, Context peer) {
        if (isInfiniBand(target, peer) && !target.usesGlobalRoutes()) {
            return AddressVector.local(target.port(), lid(target, peer), 0);
        }
        Gid gid = peer.queryGid(target.port(), target.gidIndex());
        return to(target, peer, GlobalRoute.to(gid, target.gidIndex()));
    }

    /**
     * {@return the path to the port of a context with a global route}
     *
     * @param target the devices
     * @param peer the other context, or the own one
     * @param route to its GID
     */
    public static AddressVector to(EndpointTarget target, Context peer, GlobalRoute route) {
        return global(target, route, isInfiniBand(target, peer) ? lid(target, peer) : 0);
    }

    /**
     * {@return the path to a multicast group}
     *
     * @param target the devices
     * @param group its address
     */
    public static AddressVector toGroup(EndpointTarget target, Gid group) {
        return global(target, GlobalRoute.to(group, target.gidIndex()), target.groupLid());
    }

    private static AddressVector global(EndpointTarget target, GlobalRoute route, int dlid) {
        return new AddressVector(route, dlid, 0, 0, Rate.PORT_CURRENT, target.port());
    }

    private static boolean isInfiniBand(EndpointTarget target, Context context) {
        return context.linkLayer(target.port()) == LinkLayer.INFINIBAND;
    }

    private static int lid(EndpointTarget target, Context peer) {
        return peer.queryPort(target.port()).lid();
    }
}
