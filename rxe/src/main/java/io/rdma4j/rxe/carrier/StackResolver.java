// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.Destination;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.route.Route;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.verbs.spi.AddressResolver;

/**
 * The routes and neighbours of a device in the IP stack of its host.
 *
 * @param device sends the packets
 * @param stack of the host
 * @param loop owns the stack
 */
record StackResolver(NetDevice device, IpStack stack, NetLoop loop) implements AddressResolver {
    @Override
    public int interfaceIndex() {
        return device.ifindex();
    }

    /**
     * {@inheritDoc} A link-local address is on the link. So are all others if no address of the device has a prefix.
     */
    @Override
    @SuppressWarnings("ReferenceEquality") // a device is itself
    public boolean hasRoute(Gid destination) {
        if (destination.prefix() == Gid.LINK_LOCAL_PREFIX) {
            return true;
        }
        Route route = stack.routes().lookup(destination.prefix(), destination.interfaceId(), null);
        if (route == null) {
            return device.ip().list().stream().map(InterfaceAddress::network).allMatch(network -> network.isSingle());
        }
        return route.device() == device && route.type().error() == null;
    }

    @Override
    public boolean resolve(Gid destination) {
        return loop.exclusively(() -> {
            Destination to = stack.destinations().find(destination, device);
            Errno error = to.type().error();
            if (error != null) {
                throw new RdmaException(error, "the route to " + destination + " rejects packets");
            }
            return to.request();
        });
    }
}
