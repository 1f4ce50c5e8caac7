package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.IpPrefix;
import io.rdma4j.net.NetDevice;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where packets to some destinations go ({@code fib_info}). Immutable.
 *
 * @param destination which ones
 * @param type what becomes of them
 * @param device where they leave; null if they do not
 * @param gateway station of the device's link that forwards them; null: the destination is on the link itself
 * @param metric of two routes to the same destinations the one with the lower metric counts, 0 and up
 * @param source the address that packets of this host are sent from if their sender has no wish; null: one of the device
 * @param mtu largest packet, bytes; 0: what the device carries
 * @param mtuLocked the MTU holds whatever the path says, and nobody need be told what does not fit: "don't fragment" is not
 *     set unless the sender insists ({@code RTAX_LOCK})
 * @param origin who made it
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
     * Checks that the parts agree.
     *
     * @throws RdmaException EINVAL for a gateway of the other IP version, a negative metric or MTU
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
     * @param destination which addresses it is for
     * @param device whose link it is
     */
    public static Route onLink(IpPrefix destination, NetDevice device) {
        return new Route(destination, RouteType.UNICAST, device, null);
    }

    /**
     * {@return a route to destinations behind a router on the link of a device ({@code ip route add … via … dev …})}
     *
     * @param destination which addresses it is for
     * @param gateway of the router, on the link
     * @param device whose link it is
     */
    public static Route via(IpPrefix destination, Gid gateway, NetDevice device) {
        return new Route(destination, RouteType.UNICAST, device, gateway);
    }

    /**
     * {@return a route to destinations behind a router, whose device the table finds ({@code ip route add … via …})}
     *
     * @param destination which addresses it is for
     * @param gateway of the router, on the link
     */
    public static Route via(IpPrefix destination, Gid gateway) {
        return new Route(destination, RouteType.UNICAST, null, gateway);
    }

    /**
     * {@return a route to destinations that nothing is to be sent to ({@code ip route add blackhole …})}
     *
     * @param destination which addresses it is for
     * @param type what becomes of packets there
     * @throws RdmaException EINVAL for a type that leads somewhere
     */
    public static Route reject(IpPrefix destination, RouteType type) {
        if (type.error() == null) {
            throw new RdmaException(Errno.EINVAL, type + " needs a device");
        }
        return new Route(destination, type, null, null);
    }

    /** A route that follows from an address of a device. */
    static Route ofDevice(IpPrefix destination, RouteType type, NetDevice device, @Nullable Gid source) {
        return new Route(destination, type, device, null, 0, source, 0, false, RouteOrigin.KERNEL);
    }

    /**
     * {@return the same with another metric}
     *
     * @param value the least is preferred
     */
    public Route withMetric(int value) {
        return new Route(destination, type, device, gateway, value, source, mtu, mtuLocked, origin);
    }

    /**
     * {@return the same with another source address}
     *
     * @param address of this host
     */
    public Route withSource(Gid address) {
        return new Route(destination, type, device, gateway, metric, address, mtu, mtuLocked, origin);
    }

    /**
     * {@return the same with another MTU}
     *
     * @param bytes of a packet; 0 for that of the device
     * @param locked true if nobody may find a smaller one
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
