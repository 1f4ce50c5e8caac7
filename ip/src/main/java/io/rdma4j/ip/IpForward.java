// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.NanoClock;
import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Forwards packets to other hosts, as a router does ({@code ip_forward}, {@code ip6_forward}). */
final class IpForward {
    /** Headroom for a link header and a VLAN tag, bytes. */
    private static final int LINK_HEADROOM = 18;

    private final IpOutput output;
    private final IpBuffers buffers;
    private final IcmpSender icmp;
    private final SnmpCounters counters;
    private final NanoClock clock;
    private final PacketHooks hooks;
    private volatile boolean enabled;

    IpForward(
            IpOutput output,
            IpBuffers buffers,
            IcmpSender icmp,
            SnmpCounters counters,
            NanoClock clock,
            PacketHooks hooks) {
        this.output = output;
        this.buffers = buffers;
        this.icmp = icmp;
        this.counters = counters;
        this.clock = clock;
        this.hooks = hooks;
    }

    /** True if this host is a router ({@code ip_forward}). */
    boolean isEnabled() {
        return enabled;
    }

    void enable(boolean value) {
        enabled = value;
    }

    /** Forwards a packet that begins with its IP header and is not for this host; takes ownership of it. */
    void forward(SkBuff skb, Destination to) {
        boolean isIpv4 = IpPacket.isIpv4(skb);
        int mtu = to.mtu(clock.nanoTime());
        if (!enabled || skb.meta().packetType() != PacketType.HOST || to.type() == RouteType.MULTICAST) {
            counters.count(isIpv4, SnmpCounter.IN_ADDR_ERRORS);
        } else if (to.type().error() != null) {
            counters.count(isIpv4, SnmpCounter.IN_NO_ROUTES);
            tell(skb, to.type());
        } else if (IpPacket.hopLimit(skb) <= 1) {
            counters.count(isIpv4, SnmpCounter.IN_HDR_ERRORS);
            icmp.sendError(skb, IcmpError.HOPS_EXCEEDED, 0);
        } else if (skb.len() > mtu && !skb.shinfo().isGso() && mustNotBeCut(skb, isIpv4)) {
            counters.count(isIpv4, SnmpCounter.FRAG_FAILS);
            icmp.sendError(skb, IcmpError.TOO_BIG, mtu);
        } else {
            SkBuff own = makeWritable(skb, isIpv4);
            if (own == null) {
                counters.count(isIpv4, SnmpCounter.IN_DISCARDS);
            } else {
                pass(own, to, isIpv4, mtu);
                return;
            }
        }
        skb.free();
    }

    private void tell(SkBuff skb, RouteType type) {
        switch (type) {
            case NONE -> icmp.sendError(skb, IcmpError.NET_UNREACHABLE, 0);
            case UNREACHABLE -> icmp.sendError(skb, IcmpError.HOST_UNREACHABLE, 0);
            case PROHIBIT -> icmp.sendError(skb, IcmpError.PROHIBITED, 0);
            default -> {}
        }
    }

    private static boolean mustNotBeCut(SkBuff skb, boolean isIpv4) {
        return !isIpv4 || Ipv4.dontFragment(skb.memory(), skb.data());
    }

    private void pass(SkBuff skb, Destination to, boolean isIpv4, int mtu) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        skb.meta().priority(TosPriority.of(IpPacket.trafficClass(skb)));
        if (isIpv4) {
            Ipv4.timeToLive(memory, at, Ipv4.timeToLive(memory, at) - 1);
            Ipv4.updateChecksum(memory, at);
        } else {
            Ipv6.hopLimit(memory, at, Ipv6.hopLimit(memory, at) - 1);
        }
        IpInterface out = to.out();
        if (hooks.pass(HookPoint.FORWARD, skb, skb.meta().device(), out == null ? null : out.device())) {
            counters.count(isIpv4, SnmpCounter.FORW_DATAGRAMS);
            output.transmit(skb, to, mtu);
        } else {
            counters.count(isIpv4, SnmpCounter.IN_DISCARDS);
        }
    }

    /**
     * Returns the packet itself if its headers are not shared and a link header fits in front. Otherwise returns a
     * packet with a copy of the headers ({@code skb_cow}); null if that is not possible.
     */
    private @Nullable SkBuff makeWritable(SkBuff skb, boolean isIpv4) {
        if (!skb.isShared() && !skb.isCloned() && skb.headroom() >= LINK_HEADROOM) {
            return skb;
        }
        int headerBytes = isIpv4 ? Ipv4.headerBytes(skb.memory(), skb.data()) : Ipv6.BYTES;
        SkBuff own = buffers.allocate(headerBytes);
        if (own == null
                || skb.len() > headerBytes && !IpBuffers.append(own, skb, headerBytes, skb.len() - headerBytes)) {
            if (own != null) {
                own.free();
            }
            return null;
        }
        MemorySegment.copy(skb.memory(), skb.data(), own.memory(), own.data(), headerBytes);
        own.copyFields(skb);
        own.setNetworkHeader(0);
        skb.free();
        return own;
    }
}
