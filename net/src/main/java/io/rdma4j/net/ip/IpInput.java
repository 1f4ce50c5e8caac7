package io.rdma4j.net.ip;

import io.rdma4j.net.ReceiveHandler;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;

/**
 * What becomes of an IP packet that arrives ({@code ip_rcv}, {@code ipv6_rcv}): its header is checked, then it is given to whom
 * its protocol belongs to, if it is for this host. Nothing that arrives throws; what is dropped is counted.
 *
 * <p>A packet to an address of the device it came in by is taken without asking the routes, which is what nearly all packets are.
 */
public final class IpInput {
    private final RouteCache destinations;
    private final SnmpCounters counters;
    private final ProtocolTable protocols = new ProtocolTable();

    IpInput(RouteCache destinations, SnmpCounters counters) {
        this.destinations = destinations;
        this.counters = counters;
    }

    /** Who gets what packets carry. */
    public ProtocolTable protocols() {
        return protocols;
    }

    /** A packet that begins with its IP header; it becomes this room's. */
    void receive(SkBuff skb, IpInterface in) {
        skb.setNetworkHeader(0);
        int headerBytes = skb.packetType() == PacketType.OTHERHOST ? 0 : IpHeaders.check(skb);
        boolean isIpv4 = headerBytes != IpHeaders.MALFORMED && headerBytes != 0 && IpPacket.isIpv4(skb);
        counters.count(isIpv4, SnmpCounter.IN_RECEIVES);
        if (headerBytes == 0) {
            drop(skb, isIpv4, SnmpCounter.IN_DISCARDS);
        } else if (headerBytes == IpHeaders.MALFORMED) {
            drop(skb, isIpv4, SnmpCounter.IN_HDR_ERRORS);
        } else {
            route(skb, in, isIpv4, headerBytes);
        }
    }

    private void drop(SkBuff skb, boolean isIpv4, SnmpCounter reason) {
        counters.count(isIpv4, reason);
        skb.free();
    }

    private void route(SkBuff skb, IpInterface in, boolean isIpv4, int headerBytes) {
        long prefix = IpPacket.destinationPrefix(skb);
        long interfaceId = IpPacket.destinationInterfaceId(skb);
        if (IpPacket.isGroup(IpPacket.sourcePrefix(skb), IpPacket.sourceInterfaceId(skb))) {
            drop(skb, isIpv4, SnmpCounter.IN_ADDR_ERRORS);
        } else if (in.isOwn(prefix, interfaceId)
                || IpPacket.isGroup(prefix, interfaceId) && in.hears(prefix, interfaceId)
                || destinations.find(prefix, interfaceId, null).isLocal()) {
            deliver(skb, isIpv4, headerBytes);
        } else {
            drop(skb, isIpv4, SnmpCounter.IN_ADDR_ERRORS);
        }
    }

    /** {@code ip_local_deliver_finish}, {@code ip6_input_finish}. */
    private void deliver(SkBuff skb, boolean isIpv4, int headerBytes) {
        int protocol = isIpv4 ? Ipv4.protocol(skb.memory(), skb.data()) : Ipv6.nextHeader(skb.memory(), skb.data());
        ReceiveHandler receiver = protocols.of(protocol);
        if (receiver == null) {
            drop(skb, isIpv4, SnmpCounter.IN_UNKNOWN_PROTOS);
            return;
        }
        PacketChecksum.pull(skb, headerBytes);
        skb.setTransportHeader(0);
        counters.count(isIpv4, SnmpCounter.IN_DELIVERS);
        receiver.receive(skb);
    }
}
