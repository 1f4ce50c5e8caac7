// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.Destination;
import io.rdma4j.ip.IpInterface;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.neighbour.Neighbour;
import io.rdma4j.ip.route.Route;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.net.NetDevice;
import io.rdma4j.verbs.spi.PortInterface;
import io.rdma4j.wire.ip.LinkLayerAddress;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A device for IP over InfiniBand, as rdma_cm sees it: routes and neighbours are those of the IP stack, and link
 * addresses have a GID.
 *
 * @param device of link type INFINIBAND
 * @param stack of its namespace
 * @param loop owns the stack
 */
record InfinibandInterface(NetDevice device, Supplier<IpStack> stack, NetLoop loop) implements PortInterface {
    private static final int PKEY_SHIFT = 16;
    private static final int PKEY_MASK = 0xFFFF;

    @Override
    public int interfaceIndex() {
        return device.ifindex();
    }

    @Override
    public List<Gid> addresses() {
        return device.addresses();
    }

    /** The GID of a link address of the host; zero for a number that is not known. */
    private Gid gid(long linkAddress) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[LinkLayerAddress.INFINIBAND_BYTES]);
        device.link().format().write(bytes, 0, linkAddress);
        return LinkLayerAddress.gid(bytes, 0);
    }

    @Override
    public Gid gid() {
        return gid(device.macAddress());
    }

    /** {@inheritDoc} It is in the address of the broadcast group (RFC 4391, 4). */
    @Override
    public int pkey() {
        return (int) (gid(MacAddress.BROADCAST).prefix() >>> PKEY_SHIFT) & PKEY_MASK;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a device is itself
    public boolean hasRoute(Gid destination) {
        if (destination.prefix() == Gid.LINK_LOCAL_PREFIX) {
            return true;
        }
        IpStack own = stack.get();
        return loop.exclusively(() -> {
            Route route = own.routes().lookup(destination.prefix(), destination.interfaceId(), null);
            return route != null && route.device() == device && route.type().error() == null;
        });
    }

    @Override
    public boolean resolve(Gid destination) {
        IpStack own = stack.get();
        return loop.exclusively(() -> {
            Destination to = own.destinations().find(destination, device);
            Errno error = to.type().error();
            if (error != null) {
                throw new RdmaException(error, "the route to " + destination + " rejects packets");
            }
            return destination.isMulticast() || to.request();
        });
    }

    /** {@inheritDoc} A station behind a router has no port on this subnet. */
    @Override
    public @Nullable Gid gidOf(Gid destination) {
        long link = destination.isMulticast() ? device.link().format().ofGroup(destination) : neighbour(destination);
        Gid gid = link == 0 ? Gid.ZERO : gid(link);
        return gid.isZero() ? null : gid;
    }

    /** The link address of a station on the link; 0 if it is not known. */
    private long neighbour(Gid destination) {
        IpStack own = stack.get();
        return loop.exclusively(() -> {
            Destination to = own.destinations().find(destination, device);
            IpInterface out = to.out();
            Neighbour found = out == null || !to.nextHop().equals(destination)
                    ? null
                    : out.neighbours().find(destination);
            return found == null ? 0L : found.mac();
        });
    }
}
