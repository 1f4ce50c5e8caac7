// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.wire.ip.Ecn;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/**
 * The network headers of a queue pair's packets, without their lengths. Corresponds to {@code rxe_av} and
 * {@code prepare4}, {@code prepare6}. Immutable.
 *
 * @param source GID of the sending port
 * @param destination GID of the peer's port, of the same IP version
 * @param route flow label, hop limit and traffic class of the address vector
 * @param serviceLevel of the address vector: the priority of the packets at the interface, whose traffic classes
 *     replace virtual lanes
 * @param staticRate maximum rate of datagrams
 * @param sourcePort UDP source port
 * @param destinationPort UDP port of the peer's device
 */
public record NetworkPath(
        Gid source,
        Gid destination,
        GlobalRoute route,
        int serviceLevel,
        Rate staticRate,
        int sourcePort,
        int destinationPort)
        implements CarrierPath {
    private static final int FIRST_FLOW_PORT = 0xC000;
    private static final int FLOW_PORT_MASK = 0x3FFF;
    private static final int FLOW_LABEL_MASK = 0xF_FFFF;
    private static final long IPV4_MAPPED = 0xFFFFL << 32;

    /** Returns this path with other ECN bits. */
    NetworkPath withCodepoint(int ecn) {
        int trafficClass = Ecn.withCodepoint(route.trafficClass(), ecn);
        GlobalRoute changed = new GlobalRoute(
                route.destination(), route.flowLabel(), route.sourceGidIndex(), route.hopLimit(), trafficClass);
        return new NetworkPath(source, destination, changed, serviceLevel, staticRate, sourcePort, destinationPort);
    }

    /** Returns true if a received packet has the ECN codepoint CE. */
    static boolean metCongestion(SkBuff skb) {
        return Ecn.codepoint(skb.memory(), skb.networkHeader()) == Ecn.CE;
    }

    /** {@inheritDoc} IP and UDP. */
    @Override
    public int headerBytes() {
        return (destination.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
    }

    /**
     * Adds UDP and IP headers in front of a packet, and sets its priority.
     *
     * @param transportBytes bytes of the finished packet (of a train: of its first), from BTH to ICRC
     */
    void push(SkBuff skb, int transportBytes) {
        int udpBytes = Udp.BYTES + transportBytes;
        int ipBytes = headerBytes() - Udp.BYTES;
        int ip = skb.push(ipBytes + Udp.BYTES);
        MemorySegment memory = skb.memory();
        Udp.write(memory, ip + (long) ipBytes, sourcePort, destinationPort, udpBytes);
        if (ipBytes == Ipv4.BYTES) {
            Ipv4.write(
                    memory,
                    ip,
                    Ipv4.BYTES + udpBytes,
                    0,
                    route.trafficClass(),
                    route.hopLimit(),
                    Ipv4.PROTOCOL_UDP,
                    source.ipv4(),
                    destination.ipv4());
        } else {
            Ipv6.write(
                    memory,
                    ip,
                    route.trafficClass(),
                    route.flowLabel(),
                    udpBytes,
                    Ipv6.NEXT_HEADER_UDP,
                    route.hopLimit(),
                    source.prefix(),
                    source.interfaceId(),
                    destination.prefix(),
                    destination.interfaceId());
        }
        skb.meta().priority(serviceLevel);
        skb.setNetworkHeader(0);
        skb.setTransportHeader(ipBytes);
    }

    /**
     * Returns true if a received packet has an IP header without options or extensions, which the ICRC does not cover.
     */
    static boolean isPlain(SkBuff skb) {
        int bytes = Ipv4.version(skb.memory(), skb.networkHeader()) == Ipv4.VERSION ? Ipv4.BYTES : Ipv6.BYTES;
        return ipBytes(skb) == bytes;
    }

    /** Returns the bytes of the IP header, for a received packet or one of {@link #push}. */
    static int ipBytes(SkBuff skb) {
        return skb.transportHeader() - skb.networkHeader();
    }

    /**
     * Returns the IP version of a packet that {@link #isPlain}, or of {@link #push}, from the length of its IP header.
     */
    private static boolean isIpv4(SkBuff skb) {
        return ipBytes(skb) == Ipv4.BYTES;
    }

    /** Returns true if the destination of a received packet is {@code address}. */
    static boolean wentTo(SkBuff skb, Gid address) {
        return destinationInterfaceId(skb) == address.interfaceId() && destinationPrefix(skb) == address.prefix();
    }

    /** Returns true if the source of a received packet is {@code address}. */
    static boolean cameFrom(SkBuff skb, Gid address) {
        MemorySegment memory = skb.memory();
        int ip = skb.networkHeader();
        return isIpv4(skb)
                ? address.isIpv4() && Ipv4.source(memory, ip) == address.ipv4()
                : Ipv6.sourceInterfaceId(memory, ip) == address.interfaceId()
                        && Ipv6.sourcePrefix(memory, ip) == address.prefix();
    }

    /** Returns true if the source of a received packet is an address of the port. */
    static boolean cameFromAny(GidTable own, SkBuff skb) {
        MemorySegment memory = skb.memory();
        int ip = skb.networkHeader();
        return isIpv4(skb)
                ? own.contains(0, mapped(Ipv4.source(memory, ip)))
                : own.contains(Ipv6.sourcePrefix(memory, ip), Ipv6.sourceInterfaceId(memory, ip));
    }

    /** Returns the upper 64 bits of the destination GID of a received packet. */
    static long destinationPrefix(SkBuff skb) {
        return isIpv4(skb) ? 0 : Ipv6.destinationPrefix(skb.memory(), skb.networkHeader());
    }

    /** Returns the lower 64 bits of the destination GID of a received packet. */
    static long destinationInterfaceId(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int ip = skb.networkHeader();
        return isIpv4(skb) ? mapped(Ipv4.destination(memory, ip)) : Ipv6.destinationInterfaceId(memory, ip);
    }

    /** Returns the lower 64 bits of the GID of an IPv4 address, see {@link Gid#ofIpv4}. */
    private static long mapped(int ipv4) {
        return IPV4_MAPPED | Integer.toUnsignedLong(ipv4);
    }

    /**
     * Returns true if a received packet has the addresses of this path in reverse, as a connection requires (IBA
     * 9.6.1.5).
     */
    boolean isReversedBy(SkBuff skb) {
        return isIpv4(skb) && destination.isIpv4()
                ? Ipv4.isBetween(skb.memory(), skb.networkHeader(), destination.ipv4(), source.ipv4())
                : cameFrom(skb, destination) && wentTo(skb, source);
    }

    /** Returns true if the peer has a loopback address, so that it is on this machine. */
    boolean isOverLoopback() {
        return destination.isIpv4()
                ? destination.ipv4() >>> 24 == 127
                : destination.prefix() == 0 && destination.interfaceId() == 1;
    }

    /** Returns the UDP source port of a packet without IP options. */
    static int sourcePort(SkBuff skb) {
        return Udp.sourcePort(skb.memory(), skb.networkHeader() + (isIpv4(skb) ? Ipv4.BYTES : Ipv6.BYTES));
    }

    /**
     * Returns the UDP source port that keeps a connection on one path of the network. It is derived from the flow
     * label, or from the two queue pair numbers if the label is 0 (IBA A17.4.2; Linux's {@code
     * rdma_flow_label_to_udp_sport}).
     */
    public static int flowPort(int flowLabel, int localQpn, int remoteQpn) {
        int label = flowLabel & FLOW_LABEL_MASK;
        if (label == 0) {
            long product = (long) localQpn * remoteQpn;
            product ^= product >>> 20;
            product ^= product >>> 40;
            label = (int) product & FLOW_LABEL_MASK;
        }
        return FIRST_FLOW_PORT | ((label & FLOW_PORT_MASK) ^ (label >>> 14));
    }
}
