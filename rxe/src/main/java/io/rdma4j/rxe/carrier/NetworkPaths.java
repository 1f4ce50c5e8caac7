// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.hca.carrier.PathResolver;
import io.rdma4j.ip.route.Route;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.wire.ip.Ecn;

/** Resolves the address vectors of a port to network paths. */
public final class NetworkPaths implements PathResolver {
    private final GidTable gids;
    private final DeviceLink link;
    private final int udpPort;
    private final boolean controlsCongestion;

    /**
     * @param udpPort of the peers' devices
     * @param controlsCongestion whether connections reduce their rate on congestion
     */
    public NetworkPaths(GidTable gids, DeviceLink link, int udpPort, boolean controlsCongestion) {
        this.gids = gids;
        this.link = link;
        this.udpPort = udpPort;
        this.controlsCongestion = controlsCongestion;
    }

    /**
     * {@inheritDoc} The handle's number replaces the queue pair numbers, which differ from request to request: all
     * datagrams with one handle use the same path through the network.
     */
    @Override
    public CarrierPath ofHandle(AddressVector vector, int handle) {
        return from(vector, handle, handle);
    }

    /**
     * {@inheritDoc} If the device controls congestion it sets the ECN bits of the traffic class to ECT(0); otherwise
     * the application determines them.
     */
    @Override
    public CarrierPath ofConnection(AddressVector vector, int localQpn, int remoteQpn) {
        NetworkPath path = from(vector, localQpn, remoteQpn);
        return controlsCongestion ? path.withCodepoint(Ecn.ECT_0) : path;
    }

    /**
     * Returns the path of an address vector.
     *
     * @param localQpn used with {@code remoteQpn} in place of a flow label of 0, see {@link NetworkPath#flowPort}
     * @throws RdmaException EINVAL for a vector without global route, an empty entry of the GID table, or different IP
     *     versions of source and destination; the error of the route to the destination, such as EHOSTUNREACH
     */
    private NetworkPath from(AddressVector vector, int localQpn, int remoteQpn) {
        GlobalRoute to = vector.route();
        if (to == null) {
            throw new RdmaException(Errno.EINVAL, "an address vector without global route leads nowhere on Ethernet");
        }
        Gid source = gids.at(to.sourceGidIndex());
        if (source == null) {
            throw new RdmaException(Errno.EINVAL, "GID index " + to.sourceGidIndex() + " is empty");
        }
        if (source.isIpv4() != to.destination().isIpv4()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "the path from " + source + " to " + to.destination()
                            + " mixes IP versions: choose a GID index of the destination's version");
        }
        checkRoute(to.destination());
        int fixed = link.device().driver().udpSourcePort();
        int sourcePort = fixed != 0 ? fixed : NetworkPath.flowPort(to.flowLabel(), localQpn, remoteQpn);
        return new NetworkPath(
                source, to.destination(), to, vector.serviceLevel(), vector.staticRate(), sourcePort, udpPort);
    }

    /**
     * Throws if the route rejects the destination. A destination without a route is assumed to be on the link of the
     * device.
     */
    private void checkRoute(Gid destination) {
        Route route = link.stack().routes().lookup(destination.prefix(), destination.interfaceId(), link.device());
        Errno error = route == null ? null : route.type().error();
        if (error != null) {
            throw new RdmaException(error, "the route to " + destination + " is \"" + route + "\"");
        }
    }
}
