// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.net.receive.ReceiveHandler;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;

/**
 * Receives ICMP and ICMPv6 messages ({@code icmp_rcv}, {@code icmpv6_rcv}). Replies to echo requests, delivers echo
 * replies and errors to endpoints, and passes neighbour discovery and MLD to the interface.
 */
final class IcmpInput implements ReceiveHandler {
    private final Interfaces interfaces;
    private final IcmpSender sender;
    private final IcmpErrorInput errors;
    private final GroupInput groups;
    private final PingTable pings;
    private final SnmpCounters counters;

    IcmpInput(
            Interfaces interfaces,
            IcmpSender sender,
            IcmpErrorInput errors,
            GroupInput groups,
            PingTable pings,
            SnmpCounters counters) {
        this.interfaces = interfaces;
        this.sender = sender;
        this.errors = errors;
        this.groups = groups;
        this.pings = pings;
        this.counters = counters;
    }

    @Override
    public void receive(SkBuff skb) {
        boolean isIpv4 = IpPacket.isIpv4(skb);
        counters.count(isIpv4, SnmpCounter.ICMP_IN_MSGS);
        int type = skb.headLen() < Icmp.BYTES ? -1 : Icmp.type(skb.memory(), skb.data());
        if (type == -1) {
            counters.count(isIpv4, SnmpCounter.ICMP_IN_ERRORS);
            skb.free();
        } else if (!isIpv4 && GroupInput.isMld(type)) {
            groups.receiveMld(skb);
        } else if (!isIpv4 && isOfLink(type)) {
            receiveOfLink(skb);
        } else if (!(isIpv4 ? PacketChecksum.validateSimple(skb) : PacketChecksum.validate(skb, Icmpv6.NEXT_HEADER))) {
            counters.count(isIpv4, SnmpCounter.ICMP_IN_CSUM_ERRORS);
            counters.count(isIpv4, SnmpCounter.ICMP_IN_ERRORS);
            skb.free();
        } else {
            receive(skb, isIpv4, type);
        }
    }

    private static boolean isOfLink(int type) {
        return Icmpv6.isError(type) ? false : type != Icmpv6.ECHO_REQUEST && type != Icmpv6.ECHO_REPLY;
    }

    private void receiveOfLink(SkBuff skb) {
        IpInterface in = interfaces.of(skb.meta().device());
        if (in == null) {
            skb.free();
        } else {
            in.discovery().receive(skb);
        }
    }

    private void receive(SkBuff skb, boolean isIpv4, int type) {
        IcmpError error = IcmpError.of(isIpv4, type, Icmp.code(skb.memory(), skb.data()));
        if (error != null) {
            counters.count(isIpv4, error.received(isIpv4));
            errors.receive(skb, isIpv4, error);
            skb.free();
        } else if (type == PingEndpoint.requestType(isIpv4)) {
            counters.count(isIpv4, SnmpCounter.ICMP_IN_ECHOS);
            answer(skb, isIpv4);
            skb.free();
        } else if (type == (isIpv4 ? Icmp.ECHO_REPLY : Icmpv6.ECHO_REPLY)) {
            counters.count(isIpv4, SnmpCounter.ICMP_IN_ECHO_REPS);
            give(skb);
        } else {
            skb.free();
        }
    }

    /**
     * Replies to an echo request, except to a broadcast or multicast one of IPv4 ({@code icmp_echo_ignore_broadcasts}):
     * too many stations would reply.
     */
    private void answer(SkBuff skb, boolean isIpv4) {
        boolean toMany = skb.meta().packetType() != PacketType.HOST
                || IpPacket.isGroup(IpPacket.destinationPrefix(skb), IpPacket.destinationInterfaceId(skb));
        if (!isIpv4 || !toMany) {
            sender.sendEchoReply(skb);
        }
    }

    private void give(SkBuff skb) {
        PingEndpoint asker = pings.find(Icmp.identifier(skb.memory(), skb.data()));
        skb.pull(Icmp.BYTES);
        if (asker == null || !asker.enqueue(skb)) {
            skb.free();
        }
    }
}
