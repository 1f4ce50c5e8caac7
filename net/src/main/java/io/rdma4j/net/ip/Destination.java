package io.rdma4j.net.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.DstEntry;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * What routing found for one address ({@code struct rtable}, {@code struct rt6_info}): whether packets to it are for this host, go
 * out of a device to the next hop, are dropped, or are answered by an error; and what was learned of the path there.
 *
 * <p>Buffers that are kept or passed on hold references ({@link SkBuff#dst}); the cache that it stands in has one. Belongs to the
 * owner of the stack's loop, but for the references.
 */
public final class Destination extends DstEntry {
    private final Gid address;
    private final @Nullable NetDevice over;
    private final RouteType type;
    private final @Nullable Route route;
    private final @Nullable IpInterface out;
    private final Gid nextHop;

    /** What {@link RouteTable#generation} was when it was found. */
    final int generation;

    /** In the same bucket of the cache. */
    @Nullable
    Destination next;

    /** Turn of the cache in which it was last asked for. */
    long used;

    private int pathMtu;
    private long pathMtuUntilNs = Deadline.NEVER;

    /** Who the next hop is, if it was looked up. */
    @Nullable
    Neighbour neighbour;

    /** @param over the device that packets must leave by; null: any */
    Destination(
            Gid address,
            @Nullable NetDevice over,
            RouteType type,
            @Nullable Route route,
            @Nullable IpInterface out,
            int generation) {
        this.address = address;
        this.over = over;
        this.type = type;
        this.route = route;
        this.out = out;
        Gid gateway = route == null ? null : route.gateway();
        this.nextHop = gateway == null ? address : gateway;
        this.generation = generation;
    }

    @SuppressWarnings("ReferenceEquality") // a device is itself
    boolean is(long prefix, long interfaceId, @Nullable NetDevice device) {
        return address.prefix() == prefix && address.interfaceId() == interfaceId && over == device;
    }

    /** {@return the address that was looked up} */
    public Gid address() {
        return address;
    }

    /** {@return what becomes of packets to it} */
    public RouteType type() {
        return type;
    }

    /** {@return true if packets to it are for this host} */
    public boolean isLocal() {
        return type == RouteType.LOCAL || type == RouteType.BROADCAST;
    }

    /** {@return the route that led there; null if there was none, or the device was given} */
    public @Nullable Route route() {
        return route;
    }

    /** {@return where packets to it leave; null if they do not} */
    public @Nullable IpInterface out() {
        return out;
    }

    /** {@return the station of the link that packets are sent to: a gateway, or the address itself} */
    public Gid nextHop() {
        return nextHop;
    }

    /**
     * {@return largest packet that may be sent there now ({@code dst_mtu}), bytes; 0 if none may}
     *
     * @param nowNs of the loop's clock
     */
    public int mtu(long nowNs) {
        int most = linkMtu();
        if (pathMtu != 0 && Deadline.isDue(pathMtuUntilNs, nowNs)) {
            pathMtu = 0;
        }
        return pathMtu == 0 ? most : Math.min(most, pathMtu);
    }

    /** What the first link takes, whatever the path says. */
    int linkMtu() {
        if (out == null) {
            return 0;
        }
        int device = out.device().mtu();
        return route == null || route.mtu() == 0 ? device : Math.min(device, route.mtu());
    }

    /** True if the path is not asked what it carries ({@code dst_metric_locked(…, RTAX_MTU)}). */
    boolean isMtuLocked() {
        return route != null && route.mtuLocked();
    }

    /** A hop says what it carries ({@code ip_rt_update_pmtu}): counts until {@code untilNs}, unless it is more than is known. */
    void learnMtu(int bytes, long untilNs, long nowNs) {
        if (!isMtuLocked() && bytes < mtu(nowNs)) {
            pathMtu = bytes;
            pathMtuUntilNs = untilNs;
        }
    }

    /**
     * Puts the link header in front of an IP packet that leaves by {@link #out}, or lets it wait until the next hop has answered.
     *
     * @param skb begins with its IP header
     * @return true: the caller sends the packet; false: the table of neighbours has taken it, or it was dropped
     */
    public boolean resolve(SkBuff skb) {
        IpInterface device = out;
        if (device == null) {
            skb.free();
            return false;
        }
        return device.neighbours().resolve(skb, this);
    }

    @Override
    public String toString() {
        return address + " " + type
                + (out == null ? "" : " via " + nextHop + " dev " + out.device().name());
    }
}
