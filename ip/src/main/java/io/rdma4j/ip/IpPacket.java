// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;

/**
 * Reads the IP header of a packet of either version ({@code ip_hdr}, {@code ipv6_hdr}). The network header of the
 * buffer must be set. The two halves of an address are those of a {@link Gid}.
 */
public final class IpPacket {
    private static final long MAPPED = 0xFFFFL << 32;

    private IpPacket() {}

    /**
     * {@return true for IPv4, false for IPv6}
     *
     * @param skb packet whose network header is set
     */
    public static boolean isIpv4(SkBuff skb) {
        return Ipv4.version(skb.memory(), skb.networkHeader()) == Ipv4.VERSION;
    }

    /**
     * {@return first half of the source address}
     *
     * @param skb packet whose network header is set
     */
    public static long sourcePrefix(SkBuff skb) {
        return sourcePrefix(skb, isIpv4(skb));
    }

    static long sourcePrefix(SkBuff skb, boolean isIpv4) {
        return isIpv4 ? 0 : Ipv6.sourcePrefix(skb.memory(), skb.networkHeader());
    }

    /**
     * {@return second half of the source address}
     *
     * @param skb packet whose network header is set
     */
    public static long sourceInterfaceId(SkBuff skb) {
        return sourceInterfaceId(skb, isIpv4(skb));
    }

    static long sourceInterfaceId(SkBuff skb, boolean isIpv4) {
        return isIpv4
                ? mapped(Ipv4.source(skb.memory(), skb.networkHeader()))
                : Ipv6.sourceInterfaceId(skb.memory(), skb.networkHeader());
    }

    /**
     * {@return first half of the destination address}
     *
     * @param skb packet whose network header is set
     */
    public static long destinationPrefix(SkBuff skb) {
        return destinationPrefix(skb, isIpv4(skb));
    }

    static long destinationPrefix(SkBuff skb, boolean isIpv4) {
        return isIpv4 ? 0 : Ipv6.destinationPrefix(skb.memory(), skb.networkHeader());
    }

    /**
     * {@return second half of the destination address}
     *
     * @param skb packet whose network header is set
     */
    public static long destinationInterfaceId(SkBuff skb) {
        return destinationInterfaceId(skb, isIpv4(skb));
    }

    static long destinationInterfaceId(SkBuff skb, boolean isIpv4) {
        return isIpv4
                ? mapped(Ipv4.destination(skb.memory(), skb.networkHeader()))
                : Ipv6.destinationInterfaceId(skb.memory(), skb.networkHeader());
    }

    /** Second half of the {@link Gid} of an IPv4 address. */
    static long mapped(int ipv4) {
        return MAPPED | Integer.toUnsignedLong(ipv4);
    }

    /**
     * {@return the source address} Allocates.
     *
     * @param skb packet whose network header is set
     */
    public static Gid source(SkBuff skb) {
        return new Gid(sourcePrefix(skb), sourceInterfaceId(skb));
    }

    /**
     * {@return the destination address} Allocates.
     *
     * @param skb packet whose network header is set
     */
    public static Gid destination(SkBuff skb) {
        return new Gid(destinationPrefix(skb), destinationInterfaceId(skb));
    }

    /**
     * {@return DSCP and ECN, 8 bits}
     *
     * @param skb packet whose network header is set
     */
    public static int trafficClass(SkBuff skb) {
        return isIpv4(skb)
                ? Ipv4.typeOfService(skb.memory(), skb.networkHeader())
                : Ipv6.trafficClass(skb.memory(), skb.networkHeader());
    }

    /**
     * {@return the hop limit or time to live, 8 bits}
     *
     * @param skb packet whose network header is set
     */
    public static int hopLimit(SkBuff skb) {
        return isIpv4(skb)
                ? Ipv4.timeToLive(skb.memory(), skb.networkHeader())
                : Ipv6.hopLimit(skb.memory(), skb.networkHeader());
    }

    /** True if an address, given by its halves, is a multicast address. */
    static boolean isGroup(long prefix, long interfaceId) {
        return prefix >>> 56 == 0xFF || prefix == 0 && interfaceId >>> 28 == 0xF_FFFEL;
    }

    /**
     * Removes bytes that the link added behind the packet. Returns false if the packet is shorter than {@code length},
     * or {@code length} is less than {@code least}. A buffer with an offload must have the exact length.
     *
     * @param length bytes from {@link SkBuff#data} to the end
     */
    static boolean cutTo(SkBuff skb, int length, int least) {
        if (length < least) {
            return false;
        }
        PacketOffload offload = skb.shinfo().offload();
        if (offload != null) {
            int before = skb.data() - skb.networkHeader();
            skb.push(before);
            int whole = offload.segmentBytes(skb, 0);
            skb.pull(before);
            return before + length == whole;
        }
        if (length >= skb.len() || skb.isNonlinear()) {
            return length == skb.len();
        }
        PacketChecksum.trim(skb, length);
        return true;
    }
}
