// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.receive.ReceiveHandler;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6Fragment;

/**
 * Receives IP packets ({@code ip_rcv}, {@code ipv6_rcv}): checks the header, then forwards the packet, or reassembles
 * it and delivers it to the receiver of its protocol. A received packet never causes an exception; dropped packets are
 * counted.
 *
 * <p>A packet to an address of the device on which it arrived is delivered without a route lookup. This is the case of
 * nearly all packets.
 */
public final class IpInput {
    private final RouteCache destinations;
    private final IpForward forward;
    private final Reassembly reassembly;
    private final IcmpSender icmp;
    private final SnmpCounters counters;
    private final PacketHooks hooks;
    private final ProtocolTable ipv4 = new ProtocolTable();
    private final ProtocolTable ipv6 = new ProtocolTable();

    IpInput(
            RouteCache destinations,
            IpForward forward,
            Reassembly reassembly,
            IcmpSender icmp,
            SnmpCounters counters,
            PacketHooks hooks) {
        this.destinations = destinations;
        this.forward = forward;
        this.reassembly = reassembly;
        this.icmp = icmp;
        this.counters = counters;
        this.hooks = hooks;
    }

    /**
     * {@return the table of receivers by protocol for one IP version ({@code inet_protos}, {@code inet6_protos})}
     *
     * @param isIpv4 true for IPv4, false for IPv6
     */
    public ProtocolTable protocols(boolean isIpv4) {
        return isIpv4 ? ipv4 : ipv6;
    }

    /** Receives a packet that begins with its IP header; takes ownership of it. */
    void receive(SkBuff skb, IpInterface in) {
        skb.setNetworkHeader(0);
        int headerBytes = IpHeaders.check(skb);
        boolean isIpv4 = headerBytes != IpHeaders.MALFORMED && IpPacket.isIpv4(skb);
        counters.count(isIpv4, SnmpCounter.IN_RECEIVES);
        if (skb.meta().packetType() == PacketType.OTHERHOST) {
            drop(skb, isIpv4, SnmpCounter.IN_DISCARDS);
        } else if (headerBytes == IpHeaders.MALFORMED) {
            drop(skb, isIpv4, SnmpCounter.IN_HDR_ERRORS);
        } else if (isFromGroup(skb, isIpv4)) {
            drop(skb, isIpv4, SnmpCounter.IN_ADDR_ERRORS);
        } else if (hooks.pass(HookPoint.PREROUTING, skb, skb.meta().device(), null)) {
            route(skb, in, isIpv4, headerBytes);
        } else {
            counters.count(isIpv4, SnmpCounter.IN_DISCARDS);
        }
    }

    private static boolean isFromGroup(SkBuff skb, boolean isIpv4) {
        return IpPacket.isGroup(IpPacket.sourcePrefix(skb, isIpv4), IpPacket.sourceInterfaceId(skb, isIpv4));
    }

    private void drop(SkBuff skb, boolean isIpv4, SnmpCounter reason) {
        counters.count(isIpv4, reason);
        skb.free();
    }

    /** Decides whether the packet is for this host, and delivers or forwards it ({@code ip_route_input}). */
    private void route(SkBuff skb, IpInterface in, boolean isIpv4, int headerBytes) {
        long prefix = IpPacket.destinationPrefix(skb, isIpv4);
        long interfaceId = IpPacket.destinationInterfaceId(skb, isIpv4);
        if (in.isOwn(prefix, interfaceId)) {
            deliver(skb, isIpv4, headerBytes);
        } else if (IpPacket.isGroup(prefix, interfaceId)) {
            if (in.groups().hears(prefix, interfaceId)) {
                deliver(skb, isIpv4, headerBytes);
            } else {
                drop(skb, isIpv4, SnmpCounter.IN_DISCARDS);
            }
        } else if (prefix == 0 && interfaceId == IpPacket.mapped(-1)) {
            skb.meta().packetType(PacketType.BROADCAST);
            deliver(skb, isIpv4, headerBytes);
        } else {
            Destination to = destinations.find(prefix, interfaceId, null);
            if (to.isLocal()) {
                // The routing table decides, not the link, which may have no broadcasts.
                skb.meta()
                        .packetType(
                                to.type() == RouteType.BROADCAST
                                        ? PacketType.BROADCAST
                                        : skb.meta().packetType());
                skb.meta().dstNoref(to);
                deliver(skb, isIpv4, headerBytes);
            } else {
                forward.forward(skb, to);
            }
        }
    }

    private void deliver(SkBuff skb, boolean isIpv4, int headerBytes) {
        if (isIpv4) {
            deliverIpv4(skb, headerBytes);
        } else {
            deliverIpv6(skb);
        }
    }

    /** {@code ip_local_deliver}. */
    private void deliverIpv4(SkBuff skb, int headerBytes) {
        if (!Ipv4.isFragment(skb.memory(), skb.data())) {
            give(skb, true, Ipv4.protocol(skb.memory(), skb.data()), headerBytes);
            return;
        }
        SkBuff whole = reassembly.addIpv4(skb, headerBytes);
        if (whole != null) {
            give(whole, true, Ipv4.protocol(whole.memory(), whole.data()), headerBytesOf(whole));
        }
    }

    private static int headerBytesOf(SkBuff skb) {
        return Ipv4.headerBytes(skb.memory(), skb.data());
    }

    /** Skips the extension headers and delivers the packet ({@code ip6_input}). */
    private void deliverIpv6(SkBuff skb) {
        long found = Ipv6Extensions.check(skb.memory(), skb.data(), skb.headLen());
        int protocol = Ipv6Extensions.protocol(found);
        int at = Ipv6Extensions.offset(found);
        if (protocol == Ipv6Fragment.NEXT_HEADER && skb.headLen() - at >= Ipv6Fragment.BYTES) {
            SkBuff whole = reassembly.addIpv6(skb, at);
            if (whole != null) {
                deliverIpv6(whole);
            }
            return;
        }
        switch (protocol) {
            case Ipv6Extensions.NOTHING -> drop(skb, false, SnmpCounter.IN_DELIVERS);
            case Ipv6Extensions.MALFORMED, Ipv6Extensions.SILENT_OPTION, Ipv6Fragment.NEXT_HEADER ->
                drop(skb, false, SnmpCounter.IN_HDR_ERRORS);
            case Ipv6Extensions.PROBLEM_HEADER -> refuse(skb, IcmpError.HEADER_PROBLEM, at);
            case Ipv6Extensions.PROBLEM_OPTION -> refuse(skb, IcmpError.OPTION_PROBLEM, at);
            default -> give(skb, false, protocol, at);
        }
    }

    private void refuse(SkBuff skb, IcmpError error, int at) {
        icmp.sendError(skb, error, at);
        drop(skb, false, SnmpCounter.IN_HDR_ERRORS);
    }

    /** {@code ip_protocol_deliver_rcu}. */
    private void give(SkBuff skb, boolean isIpv4, int protocol, int headerBytes) {
        if (!hooks.pass(HookPoint.INPUT, skb, skb.meta().device(), null)) {
            counters.count(isIpv4, SnmpCounter.IN_DISCARDS);
            return;
        }
        ReceiveHandler receiver = protocols(isIpv4).of(protocol);
        if (receiver == null) {
            int pointer = isIpv4 ? 0 : Ipv6Extensions.lastField(skb.memory(), skb.data(), headerBytes);
            icmp.sendError(skb, IcmpError.PROTOCOL_UNREACHABLE, pointer);
            drop(skb, isIpv4, SnmpCounter.IN_UNKNOWN_PROTOS);
            return;
        }
        PacketChecksum.pull(skb, headerBytes);
        skb.setTransportHeader(0);
        counters.count(isIpv4, SnmpCounter.IN_DELIVERS);
        receiver.receive(skb);
    }
}
