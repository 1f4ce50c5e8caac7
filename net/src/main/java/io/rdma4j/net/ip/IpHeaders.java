package io.rdma4j.net.ip;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import java.lang.foreign.MemorySegment;

/** Looks whether the IP header of an arriving packet makes sense ({@code ip_rcv_core}, {@code ip6_rcv_core}). */
final class IpHeaders {
    /** What {@link #check} says of a packet to be dropped. */
    static final int MALFORMED = -1;

    private IpHeaders() {}

    /**
     * Bytes of the IP header, options of IPv4 included and extensions of IPv6 not, or {@link #MALFORMED}; an intact packet is
     * cut to the length that its header gives. The network header is where the data begin.
     */
    static int check(SkBuff skb) {
        if (skb.headLen() < Ipv4.BYTES) {
            return MALFORMED;
        }
        return switch (Ipv4.version(skb.memory(), skb.data())) {
            case Ipv4.VERSION -> checkIpv4(skb);
            case Ipv6.VERSION -> checkIpv6(skb);
            default -> MALFORMED;
        };
    }

    /** A packet that is yet to be finished was made by an engine of this machine: its checksum is that of the first packet. */
    private static int checkIpv4(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        int bytes = Ipv4.headerBytes(memory, at);
        boolean intact = bytes >= Ipv4.BYTES
                && bytes <= skb.headLen()
                && (skb.offload() != null || Ipv4.isIntact(memory, at))
                && IpPacket.cutTo(skb, Ipv4.totalLength(memory, at), bytes);
        return intact ? bytes : MALFORMED;
    }

    private static int checkIpv6(SkBuff skb) {
        if (skb.headLen() < Ipv6.BYTES) {
            return MALFORMED;
        }
        int length = Ipv6.BYTES + Ipv6.payloadLength(skb.memory(), skb.data());
        return IpPacket.cutTo(skb, length, Ipv6.BYTES) ? Ipv6.BYTES : MALFORMED;
    }
}
