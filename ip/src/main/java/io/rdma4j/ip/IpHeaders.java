// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;

/** Checks the IP header of a received packet ({@code ip_rcv_core}, {@code ip6_rcv_core}). */
final class IpHeaders {
    /** Result of {@link #check} for a packet that must be dropped. */
    static final int MALFORMED = -1;

    private IpHeaders() {}

    /**
     * Returns the bytes of the IP header, with IPv4 options and without IPv6 extensions, or {@link #MALFORMED}. Trims
     * an intact packet to the length in its header. The network header must be at {@link SkBuff#data}.
     */
    static int check(SkBuff skb) {
        if (skb.headLen() < Ipv4.BYTES) {
            return MALFORMED;
        }
        int firstWord = Ipv4.firstWord(skb.memory(), skb.data());
        return switch (Ipv4.versionOf(firstWord)) {
            case Ipv4.VERSION -> checkIpv4(skb, firstWord);
            case Ipv6.VERSION -> checkIpv6(skb);
            default -> MALFORMED;
        };
    }

    /**
     * Checks an IPv4 header. A buffer with an offload was made by an engine on this machine. Its checksum is not
     * checked, because it is that of the first packet only.
     */
    private static int checkIpv4(SkBuff skb, int firstWord) {
        int bytes = Ipv4.headerBytesOf(firstWord);
        boolean intact = bytes >= Ipv4.BYTES
                && bytes <= skb.headLen()
                && (skb.shinfo().offload() != null || Ipv4.isIntact(skb.memory(), skb.data()))
                && IpPacket.cutTo(skb, Ipv4.totalLengthOf(firstWord), bytes);
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
