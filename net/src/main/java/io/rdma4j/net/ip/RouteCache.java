package io.rdma4j.net.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What routing found, by destination ({@code rt_cache}, {@code fnhe_hash}): one look-up a packet, whatever the table of routes
 * is like, and the place where path MTUs are remembered. Entries of a former generation of the table are found anew.
 *
 * <p>A bucket has a few entries only, of which the one that was not asked for longest makes room: who sends from many addresses
 * fills nothing. Belongs to the owner of the stack's loop; allocates when an address is first asked for.
 */
public final class RouteCache {
    /** How long a path MTU counts ({@code ip_rt_mtu_expires}). */
    static final long MTU_EXPIRES_NS = TimeUnit.MINUTES.toNanos(10);

    /** 255.255.255.255, all stations of a link. */
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
     * {@return where packets to an address go ({@code ip_route_output_key})}
     *
     * @param address any
     */
    public Destination find(Gid address) {
        return find(address.prefix(), address.interfaceId(), null);
    }

    /**
     * {@return where packets to an address go that must leave by a device ({@code SO_BINDTODEVICE}); null: any}
     *
     * @param address any
     * @param over the device, or null
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
     * What the table says. If it says nothing and the device is given, the destination is taken for one on its link, as Linux does
     * for IPv4; a group is on every link.
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

    /** A hop on the way to an address carries no more than {@code mtu} bytes; counts for some minutes, whatever device packets leave by. */
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

    /** Forgets everything ({@code ip route flush cache}). */
    public void flush() {
        for (int i = 0; i < BUCKETS; i++) {
            for (Destination d = buckets[i]; d != null; d = buckets[i]) {
                remove(i, d);
            }
        }
    }
}
