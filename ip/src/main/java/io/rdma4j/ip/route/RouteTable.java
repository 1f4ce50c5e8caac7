// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.route;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.address.IpPrefix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Routing table of a namespace, for both IP versions ({@code struct fib_table}, {@code fib6_table}). A lookup returns
 * the route with the longest matching prefix; of equal prefixes, that with the lowest metric.
 *
 * <p>Routes to the host's own addresses and to its links are added and removed with the addresses of the devices. Any
 * thread may change the table. A lookup scans an immutable array, longest prefixes first, and allocates nothing. A
 * caller with many lookups stores the results together with the {@link #generation}.
 */
public final class RouteTable {
    /** Order of the lookup. */
    private static final Comparator<Route> ORDER = Comparator.comparingInt(
                    (Route route) -> -route.destination().length())
            .thenComparing(route -> route.type() != RouteType.LOCAL && route.type() != RouteType.BROADCAST)
            .thenComparingInt(Route::metric);

    private static final IpPrefix IPV6_GROUPS = IpPrefix.parse("ff00::/8");

    /** Maximum length of an IPv4 prefix that has a broadcast address. */
    private static final int LONGEST_WITH_BROADCAST = 30;

    private volatile Route[] routes = {};
    private volatile int generation;

    /** Creates an empty table. */
    public RouteTable() {}

    /** {@return the number of changes ({@code rt_genid})} A result of an older generation may be wrong. */
    public int generation() {
        return generation;
    }

    /** {@return the routes in lookup order, a copy ({@code ip route show table all})} */
    public List<Route> list() {
        return List.of(routes);
    }

    /**
     * Adds a route ({@code fib_table_insert}). If it has a gateway and no device, the table finds the device. Any
     * thread.
     *
     * @param route of any type
     * @throws RdmaException EEXIST if there is a route with the same destinations, metric and origin; ENETUNREACH if
     *     the gateway is not on a link of this host; EINVAL if the type needs a device and there is neither device nor
     *     gateway
     */
    public synchronized void add(Route route) {
        Route complete = withDevice(route);
        for (Route other : routes) {
            if (other.destination().equals(route.destination())
                    && other.metric() == route.metric()
                    && other.origin() == route.origin()) {
                throw new RdmaException(
                        Errno.EEXIST, "there is a route " + other + ": remove it, or choose another metric");
            }
        }
        Route[] more = Arrays.copyOf(routes, routes.length + 1);
        more[routes.length] = complete;
        set(more);
    }

    /** Finds the device of a gateway, which must be on a link ({@code fib_check_nh}). */
    private Route withDevice(Route route) {
        Gid gateway = route.gateway();
        if (gateway == null || route.device() != null) {
            if (route.device() == null && route.type().error() == null) {
                throw new RdmaException(Errno.EINVAL, "route " + route + " needs a device or a gateway");
            }
            return route;
        }
        Route toGateway = lookup(gateway.prefix(), gateway.interfaceId(), null);
        NetDevice device = toGateway == null || toGateway.type() != RouteType.UNICAST || toGateway.gateway() != null
                ? null
                : toGateway.device();
        if (device == null) {
            throw new RdmaException(Errno.ENETUNREACH, "gateway " + gateway + " is not on a link of this host");
        }
        return route.over(device);
    }

    /**
     * Removes a {@link RouteOrigin#STATIC} route ({@code fib_table_delete}). Any thread.
     *
     * @param destination of the route
     * @param metric of the route
     * @throws RdmaException ENOENT if there is none
     */
    public synchronized void remove(IpPrefix destination, int metric) {
        Route[] fewer = Arrays.stream(routes)
                .filter(route -> route.origin() != RouteOrigin.STATIC
                        || route.metric() != metric
                        || !route.destination().equals(destination))
                .toArray(Route[]::new);
        if (fewer.length == routes.length) {
            throw new RdmaException(Errno.ENOENT, "there is no route to " + destination + " with metric " + metric);
        }
        set(fewer);
    }

    /**
     * Replaces the routes that follow from the addresses of a device ({@code fib_add_ifaddr}); there are none if it is
     * down.
     *
     * @param device any
     */
    public synchronized void connect(NetDevice device) {
        List<Route> all = new ArrayList<>();
        for (Route route : routes) {
            if (route.origin() != RouteOrigin.KERNEL || !isOver(route, device)) {
                all.add(route);
            }
        }
        if (device.isUp()) {
            device.ip().list().forEach(address -> connect(device, address, all));
        }
        set(all.toArray(Route[]::new));
    }

    private static void connect(NetDevice device, InterfaceAddress own, List<Route> to) {
        Gid address = own.address();
        IpPrefix network = own.network();
        to.add(Route.ofDevice(IpPrefix.of(address), RouteType.LOCAL, device, address));
        if (!network.isSingle()) {
            to.add(Route.ofDevice(network, RouteType.UNICAST, device, address));
        }
        if (!address.isIpv4()) {
            to.add(Route.ofDevice(IPV6_GROUPS, RouteType.MULTICAST, device, null));
        } else if (network.length() <= LONGEST_WITH_BROADCAST) {
            to.add(Route.ofDevice(IpPrefix.of(network.last()), RouteType.BROADCAST, device, address));
        }
    }

    /**
     * Removes all routes over a device that is being removed ({@code fib_flush}).
     *
     * @param device any
     */
    public synchronized void forget(NetDevice device) {
        set(Arrays.stream(routes).filter(route -> !isOver(route, device)).toArray(Route[]::new));
    }

    @SuppressWarnings("ReferenceEquality") // a device is itself
    private static boolean isOver(Route route, NetDevice device) {
        return route.device() == device;
    }

    private synchronized void set(Route[] changed) {
        Arrays.sort(changed, ORDER);
        routes = changed;
        generation++;
    }

    /**
     * Looks up the route to an address, given by its halves as in a {@link Gid} ({@code fib_lookup}). Any thread.
     *
     * @param prefix upper half, big-endian
     * @param interfaceId lower half, big-endian
     * @param over the device through which the route must lead, null for any
     * @return the route, or null if there is none
     */
    public @Nullable Route lookup(long prefix, long interfaceId, @Nullable NetDevice over) {
        for (Route route : routes) {
            if (route.destination().contains(prefix, interfaceId)
                    && (over == null || route.device() == null || isOver(route, over))
                    && route.isUsable()) {
                return route;
            }
        }
        return null;
    }
}
