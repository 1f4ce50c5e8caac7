// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/**
 * One direction of traffic: UDP in IP from one address to a port of another address.
 *
 * @param source source address
 * @param destination destination address, of the same IP version
 * @param port destination UDP port
 */
record ShmPath(Gid source, Gid destination, int port) {
    private static final int IPV4_BYTES = Ipv4.BYTES + Udp.BYTES;
    private static final int IPV6_BYTES = Ipv6.BYTES + Udp.BYTES;
    private static final long IPV4_MAPPED = 0xFFFFL << 32;

    /** Returns the reverse path, to another port. */
    ShmPath back(int otherPort) {
        return new ShmPath(/* source= */ destination, /* destination= */ source, otherPort);
    }

    /** Returns the path of a packet that begins with plain IP and UDP headers. */
    static ShmPath of(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        if (isIpv4(skb)) {
            return new ShmPath(
                    Gid.ofIpv4(Ipv4.source(memory, at)),
                    Gid.ofIpv4(Ipv4.destination(memory, at)),
                    Udp.destinationPort(memory, at + (long) Ipv4.BYTES));
        }
        return new ShmPath(
                new Gid(Ipv6.sourcePrefix(memory, at), Ipv6.sourceInterfaceId(memory, at)),
                new Gid(Ipv6.destinationPrefix(memory, at), Ipv6.destinationInterfaceId(memory, at)),
                Udp.destinationPort(memory, at + (long) Ipv6.BYTES));
    }

    /**
     * Returns true if a packet begins with an IP header without options and a UDP header, as this library's RoCE
     * packets do.
     */
    static boolean isPlain(SkBuff skb) {
        if (skb.headLen() < IPV4_BYTES) {
            return false;
        }
        MemorySegment memory = skb.memory();
        int at = skb.data();
        if (Ipv4.isPlain(memory, at)) {
            return Ipv4.protocol(memory, at) == Ipv4.PROTOCOL_UDP;
        }
        return skb.headLen() >= IPV6_BYTES
                && Ipv6.version(memory, at) == Ipv6.VERSION
                && Ipv6.nextHeader(memory, at) == Ipv6.NEXT_HEADER_UDP;
    }

    int etherType() {
        return destination.isIpv4() ? EtherType.IPV4 : EtherType.IPV6;
    }

    private static boolean isIpv4(SkBuff skb) {
        return Ipv4.version(skb.memory(), skb.data()) == Ipv4.VERSION;
    }

    /** Returns the hash of the path of a packet that {@link #isPlain}. */
    static int hash(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        return isIpv4(skb)
                ? hash(mapped(Ipv4.source(memory, at)), mapped(Ipv4.destination(memory, at)))
                : hash(Ipv6.sourceInterfaceId(memory, at), Ipv6.destinationInterfaceId(memory, at));
    }

    /** Returns the lower half of an IPv4 address mapped into IPv6; the upper half is 0. */
    static long mapped(int ipv4) {
        return IPV4_MAPPED | Integer.toUnsignedLong(ipv4);
    }

    /** Returns the hash of this path, equal to that of its packets. */
    int hash() {
        return hash(source, destination);
    }

    /** Returns the hash of packets between two addresses. */
    static int hash(Gid source, Gid destination) {
        return hash(source.interfaceId(), destination.interfaceId());
    }

    boolean is(Gid from, Gid to, int toPort) {
        return port == toPort && destination.equals(to) && source.equals(from);
    }

    private static int hash(long source, long destination) {
        // Fibonacci hashing: the upper bits of the product depend on all bits below.
        return (int) ((source * 31 + destination) * 0x9E37_79B9_7F4A_7C15L >>> 40);
    }

    /** Returns true if a packet {@link #isPlain} and has this path. */
    boolean isOf(SkBuff skb) {
        return destination.isIpv4() ? isOfIpv4(skb) : isOfIpv6(skb);
    }

    private boolean isOfIpv4(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        return skb.headLen() >= IPV4_BYTES
                && Ipv4.isPlain(memory, at)
                && Ipv4.isBetween(memory, at, source.ipv4(), destination.ipv4())
                && Udp.destinationPort(memory, at + (long) Ipv4.BYTES) == port
                && Ipv4.protocol(memory, at) == Ipv4.PROTOCOL_UDP;
    }

    private boolean isOfIpv6(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        return isPlain(skb)
                && !isIpv4(skb)
                && Ipv6.destinationInterfaceId(memory, at) == destination.interfaceId()
                && Ipv6.destinationPrefix(memory, at) == destination.prefix()
                && Ipv6.sourceInterfaceId(memory, at) == source.interfaceId()
                && Ipv6.sourcePrefix(memory, at) == source.prefix()
                && Udp.destinationPort(memory, at + (long) Ipv6.BYTES) == port;
    }
}
