// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.ip.neighbour.NextHop;
import io.rdma4j.ip.route.Route;
import io.rdma4j.ip.route.RouteTable;
import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.DstEntry;
import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Result of routing for one address ({@code struct rtable}, {@code struct rt6_info}), with the path MTU. Packets to the
 * address are delivered locally, sent to the next hop, dropped, or answered by an ICMP error.
 *
 * <p>Buffers that are queued or forwarded hold references ({@link PacketMeta#dst}); the route cache holds one more.
 * Belongs to the owner of the stack's loop, except for the references.
 */
public final class Destination extends DstEntry {
    private final Gid address;
    private final @Nullable NetDevice over;
    private final RouteType type;
    private final @Nullable Route route;
    private final @Nullable IpInterface out;
    private final NextHop nextHop;

    /** Value of {@link RouteTable#generation} at the lookup. */
    final int generation;

    /** Next entry of the same bucket of the cache. */
    @Nullable
    Destination next;

    /** Value of the cache's lookup counter when the entry was last found. */
    long used;

    private int pathMtu;
    private long pathMtuUntilNs = Deadline.NEVER;

    /**
     * @param over the device through which packets must leave; null for any device
     */
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
        this.nextHop = new NextHop(gateway == null ? address : gateway, type == RouteType.BROADCAST);
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

    /** {@return type of the route: delivery, transmission, or rejection} */
    public RouteType type() {
        return type;
    }

    /** {@return true if packets to the address are delivered to this host} */
    public boolean isLocal() {
        return type == RouteType.LOCAL || type == RouteType.BROADCAST;
    }

    /** {@return the route that was found; null if there was none, or the caller gave the device} */
    public @Nullable Route route() {
        return route;
    }

    /** {@return IP on the device through which packets leave; null if they are not sent} */
    public @Nullable IpInterface out() {
        return out;
    }

    /** {@return address of the station on the link that receives the packets: a gateway, or the destination itself} */
    public Gid nextHop() {
        return nextHop.address();
    }

    /**
     * {@return maximum length of a packet to the address now ({@code dst_mtu}), bytes; 0 if none may be sent}
     *
     * @param nowNs nanoseconds of the loop's clock
     */
    public int mtu(long nowNs) {
        int most = linkMtu();
        if (pathMtu != 0 && Deadline.isDue(pathMtuUntilNs, nowNs)) {
            pathMtu = 0;
        }
        return pathMtu == 0 ? most : Math.min(most, pathMtu);
    }

    /** MTU of the first link, without the path MTU. */
    int linkMtu() {
        if (out == null) {
            return 0;
        }
        int device = out.device().mtu();
        return route == null || route.mtu() == 0 ? device : Math.min(device, route.mtu());
    }

    /** True if path MTU messages are ignored ({@code dst_metric_locked(…, RTAX_MTU)}). */
    boolean isMtuLocked() {
        return route != null && route.mtuLocked();
    }

    /**
     * Handles a path MTU that a router reports ({@code ip_rt_update_pmtu}). It is valid until {@code untilNs}, and
     * ignored unless it is less than the known MTU.
     */
    void learnMtu(int bytes, long untilNs, long nowNs) {
        if (!isMtuLocked() && bytes < mtu(nowNs)) {
            pathMtu = bytes;
            pathMtuUntilNs = untilNs;
        }
    }

    /**
     * Adds the link header in front of an IP packet that leaves through {@link #out}. If the next hop's link address is
     * not known, the packet waits in the neighbour table.
     *
     * @param skb begins with its IP header
     * @return true if the caller must send the packet; false if the neighbour table has taken it, or it was dropped
     */
    public boolean resolve(SkBuff skb) {
        IpInterface device = out;
        if (device == null) {
            skb.free();
            return false;
        }
        return device.neighbours().resolve(skb, nextHop);
    }

    /**
     * Solicits the link address of the next hop if it is not known.
     *
     * @return true if packets to the address can be sent now
     */
    public boolean request() {
        IpInterface device = out;
        return device != null && device.neighbours().request(nextHop);
    }

    @Override
    public String toString() {
        return address + " " + type
                + (out == null
                        ? ""
                        : " via " + nextHop() + " dev " + out.device().name());
    }
}
