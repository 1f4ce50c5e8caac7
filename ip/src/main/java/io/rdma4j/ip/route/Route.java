// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.route;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.PmtuDiscovery;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.IpPrefix;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A route: how packets to a range of destinations are sent ({@code fib_info}). Immutable.
 *
 * @param destination range of destination addresses
 * @param type delivery, transmission or rejection
 * @param device device through which packets leave; null if they are not sent, or the table must find it
 * @param gateway router on the device's link; null if the destination is on the link itself
 * @param metric priority among routes to the same destinations: the lowest wins, at least 0
 * @param source source address of packets whose sender sets none; null for one of the device
 * @param mtu maximum length of a packet, bytes; 0 for the MTU of the device
 * @param mtuLocked true if path MTU messages are ignored; "don't fragment" is then set only in the modes {@link
 *     PmtuDiscovery#DO} and {@link PmtuDiscovery#PROBE} ({@code RTAX_LOCK})
 * @param origin reason for which the route exists
 */
public record Route(
        IpPrefix destination,
        RouteType type,
        @Nullable NetDevice device,
        @Nullable Gid gateway,
        int metric,
        @Nullable Gid source,
        int mtu,
        boolean mtuLocked,
        RouteOrigin origin) {
    /**
     * Checks the components.
     *
     * @throws RdmaException EINVAL for a gateway of the other IP version, or a negative metric or MTU
     */
    public Route {
        if (gateway != null && gateway.isIpv4() != destination.network().isIpv4()) {
            throw new RdmaException(
                    Errno.EINVAL, "gateway " + gateway + " of " + destination + " has the other IP version");
        }
        if (metric < 0 || mtu < 0) {
            throw new RdmaException(Errno.EINVAL, "metric " + metric + " and MTU " + mtu + " must not be negative");
        }
    }

    private Route(IpPrefix destination, RouteType type, @Nullable NetDevice device, @Nullable Gid gateway) {
        this(destination, type, device, gateway, 0, null, 0, false, RouteOrigin.STATIC);
    }

    /**
     * {@return a route to destinations on the link of a device ({@code ip route add … dev …})}
     *
     * @param destination range of destination addresses
     * @param device device on that link
     */
    public static Route onLink(IpPrefix destination, NetDevice device) {
        return new Route(destination, RouteType.UNICAST, device, null);
    }

    /**
     * {@return a route to destinations behind a router on the link of a device ({@code ip route add … via … dev …})}
     *
     * @param destination range of destination addresses
     * @param gateway address of the router, on the link
     * @param device device on that link
     */
    public static Route via(IpPrefix destination, Gid gateway, NetDevice device) {
        return new Route(destination, RouteType.UNICAST, device, gateway);
    }

    /**
     * {@return a route to destinations behind a router; {@link RouteTable#add} finds its device ({@code ip route add …
     * via …})}
     *
     * @param destination range of destination addresses
     * @param gateway address of the router, on a link of this host
     */
    public static Route via(IpPrefix destination, Gid gateway) {
        return new Route(destination, RouteType.UNICAST, null, gateway);
    }

    /**
     * {@return a route that rejects packets ({@code ip route add blackhole …})}
     *
     * @param destination range of destination addresses
     * @param type type with an error
     * @throws RdmaException EINVAL for a type without an error
     */
    public static Route reject(IpPrefix destination, RouteType type) {
        if (type.error() == null) {
            throw new RdmaException(Errno.EINVAL, type + " needs a device");
        }
        return new Route(destination, type, null, null);
    }

    /** Returns a route that follows from an address of a device. */
    static Route ofDevice(IpPrefix destination, RouteType type, NetDevice device, @Nullable Gid source) {
        return new Route(destination, type, device, null, 0, source, 0, false, RouteOrigin.KERNEL);
    }

    /**
     * {@return a copy with another metric}
     *
     * @param value at least 0; the lowest wins
     */
    public Route withMetric(int value) {
        return new Route(destination, type, device, gateway, value, source, mtu, mtuLocked, origin);
    }

    /**
     * {@return a copy with another MTU}
     *
     * @param bytes maximum length of a packet; 0 for the MTU of the device
     * @param locked true if path MTU messages are ignored
     */
    public Route withMtu(int bytes, boolean locked) {
        return new Route(destination, type, device, gateway, metric, source, bytes, locked, origin);
    }

    Route over(NetDevice found) {
        return new Route(destination, type, found, gateway, metric, source, mtu, mtuLocked, origin);
    }

    /** {@return false while its device is down ({@code RTNH_F_DEAD})} */
    public boolean isUsable() {
        return device == null || device.isUp();
    }

    /** As {@code ip route} prints it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (type != RouteType.UNICAST) {
            text.append(type.name().toLowerCase(Locale.ROOT)).append(' ');
        }
        text.append(destination.length() == 0 ? "default" : destination.toString());
        if (gateway != null) {
            text.append(" via ").append(IpPrefix.of(gateway).text());
        }
        if (device != null) {
            text.append(" dev ").append(device.name());
        }
        if (source != null) {
            text.append(" src ").append(IpPrefix.of(source).text());
        }
        if (metric != 0) {
            text.append(" metric ").append(metric);
        }
        if (mtu != 0) {
            text.append(mtuLocked ? " mtu lock " : " mtu ").append(mtu);
        }
        return text.toString();
    }
}
