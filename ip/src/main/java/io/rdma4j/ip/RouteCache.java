// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.ip.route.Route;
import io.rdma4j.ip.route.RouteTable;
import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.NetDevice;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Cache of routing results by destination ({@code rt_cache}, {@code fnhe_hash}). It needs one lookup per packet,
 * however large the routing table is, and stores path MTUs. An entry of an older generation of the table is looked up
 * again.
 *
 * <p>A bucket has at most five entries; a further one replaces the least recently used one. So a peer that sends from
 * many addresses cannot exhaust memory. Belongs to the owner of the stack's loop; allocates at the first lookup of an
 * address.
 */
public final class RouteCache {
    /** Time for which a path MTU is valid, 10 minutes ({@code ip_rt_mtu_expires}). */
    static final long MTU_EXPIRES_NS = TimeUnit.MINUTES.toNanos(10);

    /** The limited broadcast address 255.255.255.255. */
    private static final Gid ALL_STATIONS = Gid.ofIpv4(-1);

    private static final int BUCKETS = 1024;
    private static final int DEPTH = 5;
    private static final long GOLDEN_RATIO = 0x9E37_79B9_7F4A_7C15L;
    private static final int BUCKET_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(BUCKETS);

    private final RouteTable routes;
    private final Interfaces interfaces;
    private final NanoClock clock;
    private final @Nullable Destination[] buckets = new Destination[BUCKETS];
    private long turn;

    RouteCache(RouteTable routes, Interfaces interfaces, NanoClock clock) {
        this.routes = routes;
        this.interfaces = interfaces;
        this.clock = clock;
    }

    /**
     * {@return the routing result for an address ({@code ip_route_output_key})}
     *
     * @param address any
     */
    public Destination find(Gid address) {
        return find(address.prefix(), address.interfaceId(), null);
    }

    /**
     * {@return the routing result for an address, for packets that must leave through {@code over} ({@code
     * SO_BINDTODEVICE})}
     *
     * @param address any
     * @param over the device, or null for any
     */
    public Destination find(Gid address, @Nullable NetDevice over) {
        return find(address.prefix(), address.interfaceId(), over);
    }

    Destination find(long prefix, long interfaceId, @Nullable NetDevice over) {
        int bucket = bucket(prefix, interfaceId);
        Destination known = buckets[bucket];
        while (known != null && !known.is(prefix, interfaceId, over)) {
            known = known.next;
        }
        if (known != null && known.generation == routes.generation()) {
            known.used = ++turn;
            return known;
        }
        if (known != null) {
            remove(bucket, known);
        }
        return insert(bucket, route(new Gid(prefix, interfaceId), over));
    }

    private static int bucket(long prefix, long interfaceId) {
        return (int) ((prefix * 31 + interfaceId) * GOLDEN_RATIO >>> BUCKET_SHIFT);
    }

    private Destination insert(int bucket, Destination found) {
        int depth = 0;
        Destination oldest = null;
        for (Destination d = buckets[bucket]; d != null; d = d.next) {
            depth++;
            oldest = oldest == null || d.used < oldest.used ? d : oldest;
        }
        if (oldest != null && depth >= DEPTH) {
            remove(bucket, oldest);
        }
        found.used = ++turn;
        found.next = buckets[bucket];
        buckets[bucket] = found;
        return found;
    }

    @SuppressWarnings("ReferenceEquality") // an entry is itself
    private void remove(int bucket, Destination gone) {
        Destination before = null;
        for (Destination d = buckets[bucket]; d != null && d != gone; d = d.next) {
            before = d;
        }
        if (before == null) {
            buckets[bucket] = gone.next;
        } else {
            before.next = gone.next;
        }
        gone.next = null;
        gone.release();
    }

    /**
     * Looks an address up in the routing table. If there is no route and the caller gives the device, the destination
     * counts as on-link, as Linux does for IPv4. A group is on every link.
     */
    private Destination route(Gid address, @Nullable NetDevice over) {
        int generation = routes.generation();
        Route route = routes.lookup(address.prefix(), address.interfaceId(), over);
        RouteType type = route == null ? RouteType.NONE : route.type();
        NetDevice device = route == null ? null : route.device();
        if (route == null && over != null) {
            type = RouteType.UNICAST;
            device = over;
        }
        if (type.error() == null && (address.isMulticast() || address.equals(ALL_STATIONS))) {
            type = address.isMulticast() ? RouteType.MULTICAST : RouteType.BROADCAST;
            route = null;
        }
        IpInterface out = type == RouteType.LOCAL ? interfaces.loopback() : interfaces.of(device);
        if (out == null && type != RouteType.LOCAL && type.error() == null) {
            type = RouteType.NONE;
        }
        return new Destination(address, over, type, route, out, generation);
    }

    /** Stores the path MTU to an address, bytes, for {@link #MTU_EXPIRES_NS}, in the entries of all devices. */
    void learnMtu(Gid address, int mtu) {
        long nowNs = clock.nanoTime();
        long untilNs = Deadline.after(nowNs, MTU_EXPIRES_NS);
        find(address);
        for (Destination d = buckets[bucket(address.prefix(), address.interfaceId())]; d != null; d = d.next) {
            if (d.address().equals(address) && d.type().error() == null) {
                d.learnMtu(mtu, untilNs, nowNs);
            }
        }
    }

    /** Removes all entries ({@code ip route flush cache}). */
    public void flush() {
        for (int i = 0; i < BUCKETS; i++) {
            for (Destination d = buckets[i]; d != null; d = buckets[i]) {
                remove(i, d);
            }
        }
    }
}
