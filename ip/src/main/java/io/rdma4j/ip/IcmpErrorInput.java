// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Ipv6Fragment;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/**
 * Handles ICMP errors about packets of this host ({@code icmp_unreach}, {@code icmpv6_notify}). Stores the path MTU,
 * and reports the error to the endpoint that sent the packet. An error about a packet that this host cannot have sent
 * is only counted.
 */
final class IcmpErrorInput {
    /** Minimum path MTU that is accepted, bytes ({@code ip_rt_min_pmtu}; RFC 8200, 5). */
    private static final int LEAST_MTU = 552;

    private static final int LEAST_MTU_IPV6 = 1280;

    private final Interfaces interfaces;
    private final RouteCache destinations;
    private final UdpPorts udp;
    private final PingTable pings;
    private final SnmpCounters counters;

    IcmpErrorInput(
            Interfaces interfaces, RouteCache destinations, UdpPorts udp, PingTable pings, SnmpCounters counters) {
        this.interfaces = interfaces;
        this.destinations = destinations;
        this.udp = udp;
        this.pings = pings;
        this.counters = counters;
    }

    /** Receives an error whose data begin with the ICMP header; the buffer stays the caller's. */
    void receive(SkBuff skb, boolean isIpv4, IcmpError error) {
        MemorySegment memory = skb.memory();
        int ip = skb.data() + Icmp.BYTES;
        int left = skb.tail() - ip;
        if (!isOurs(memory, ip, left, isIpv4)) {
            counters.count(isIpv4, SnmpCounter.ICMP_IN_ERRORS);
            return;
        }
        if (error == IcmpError.TOO_BIG) {
            learn(memory, ip, isIpv4, IcmpError.mtu(isIpv4, Icmp.rest(memory, skb.data())));
        }
        if (isIpv4) {
            int bytes = Ipv4.headerBytes(memory, ip);
            if (Ipv4.fragmentOffset(memory, ip) == 0 && bytes >= Ipv4.BYTES) {
                tell(error, skb, ip, true, Ipv4.protocol(memory, ip), bytes, left);
            }
        } else {
            tellIpv6(error, skb, ip, left);
        }
    }

    private boolean isOurs(MemorySegment memory, int ip, int left, boolean isIpv4) {
        if (left < (isIpv4 ? Ipv4.BYTES : Ipv6.BYTES)
                || Ipv4.version(memory, ip) != (isIpv4 ? Ipv4.VERSION : Ipv6.VERSION)) {
            return false;
        }
        return isIpv4
                ? interfaces.isOwn(0, IpPacket.mapped(Ipv4.source(memory, ip)))
                : interfaces.isOwn(Ipv6.sourcePrefix(memory, ip), Ipv6.sourceInterfaceId(memory, ip));
    }

    private void learn(MemorySegment memory, int ip, boolean isIpv4, int mtu) {
        if (isIpv4) {
            destinations.learnMtu(Gid.ofIpv4(Ipv4.destination(memory, ip)), Math.max(mtu, LEAST_MTU));
        } else if (mtu >= LEAST_MTU_IPV6) {
            destinations.learnMtu(Ipv6.destination(memory, ip), mtu);
        }
    }

    private void tellIpv6(IcmpError error, SkBuff skb, int ip, int left) {
        MemorySegment memory = skb.memory();
        long walked = Ipv6Extensions.skip(memory, ip, left);
        int protocol = Ipv6Extensions.protocol(walked);
        int at = Ipv6Extensions.offset(walked);
        if (protocol == Ipv6Fragment.NEXT_HEADER && left - at >= Ipv6Fragment.BYTES) {
            if (Ipv6Fragment.fragmentOffset(memory, ip + (long) at) != 0) {
                return;
            }
            protocol = Ipv6Fragment.nextHeader(memory, ip + (long) at);
            at += Ipv6Fragment.BYTES;
        }
        tell(error, skb, ip, false, protocol, at, left);
    }

    /**
     * @param at bytes from the IP header to the transport header
     */
    private void tell(IcmpError error, SkBuff skb, int ip, boolean isIpv4, int protocol, int at, int left) {
        MemorySegment memory = skb.memory();
        if (left - at < Udp.BYTES) {
            return;
        }
        if (protocol == Ipv4.PROTOCOL_UDP) {
            udp.onError(
                    error,
                    isIpv4 ? 0 : Ipv6.sourcePrefix(memory, ip),
                    isIpv4 ? IpPacket.mapped(Ipv4.source(memory, ip)) : Ipv6.sourceInterfaceId(memory, ip),
                    Udp.sourcePort(memory, ip + (long) at),
                    isIpv4 ? 0 : Ipv6.destinationPrefix(memory, ip),
                    isIpv4 ? IpPacket.mapped(Ipv4.destination(memory, ip)) : Ipv6.destinationInterfaceId(memory, ip),
                    Udp.destinationPort(memory, ip + (long) at));
        } else if (protocol == (isIpv4 ? Icmp.PROTOCOL : Icmpv6.NEXT_HEADER)
                && Icmp.type(memory, ip + (long) at) == PingEndpoint.requestType(isIpv4)) {
            PingEndpoint asker = pings.find(Icmp.identifier(memory, ip + (long) at));
            if (asker != null) {
                asker.fail(error.errno(), skb);
            }
        }
    }
}
