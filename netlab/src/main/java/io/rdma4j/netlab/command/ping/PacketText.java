// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ping;

import io.rdma4j.base.MacAddress;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.wire.ip.Arp;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/** Formats a packet on one line, in the style of {@code tcpdump -n}. */
final class PacketText {
    private static final String CUT = "[|cut]";

    private PacketText() {}

    static String of(SeenPackets.Seen seen) {
        MemorySegment bytes = seen.bytes();
        if (seen.link() != LinkType.ETHERNET) {
            return ip(bytes, 0, seen.length());
        }
        if (bytes.byteSize() < Ethernet.BYTES) {
            return CUT;
        }
        int left = seen.length() - Ethernet.BYTES;
        int type = Ethernet.etherType(bytes, 0);
        return switch (type) {
            case EtherType.IPV4, EtherType.IPV6 -> ip(bytes, Ethernet.BYTES, left);
            case EtherType.ARP -> arp(bytes, left);
            default ->
                MacAddress.toString(Ethernet.source(bytes, 0)) + " > "
                        + MacAddress.toString(Ethernet.destination(bytes, 0)) + ", ethertype 0x"
                        + Integer.toHexString(type) + ", length " + seen.length();
        };
    }

    private static String arp(MemorySegment bytes, int left) {
        return bytes.byteSize() < Ethernet.BYTES + Arp.BYTES
                ? "ARP " + CUT
                : Arp.format(bytes, Ethernet.BYTES) + ", length " + left;
    }

    private static String ip(MemorySegment bytes, int at, int left) {
        long there = bytes.byteSize() - at;
        if (there >= Ipv4.BYTES && Ipv4.version(bytes, at) == Ipv4.VERSION) {
            String source = Ipv4.toString(Ipv4.source(bytes, at));
            String destination = Ipv4.toString(Ipv4.destination(bytes, at));
            int header = Ipv4.headerBytes(bytes, at);
            if (Ipv4.fragmentOffset(bytes, at) != 0) {
                return "IP " + source + " > " + destination + ": fragment, length " + (left - header);
            }
            return "IP " + transport(bytes, at + header, Ipv4.protocol(bytes, at), source, destination, left - header);
        }
        if (there >= Ipv6.BYTES && Ipv6.version(bytes, at) == Ipv6.VERSION) {
            return "IP6 "
                    + transport(
                            bytes,
                            at + Ipv6.BYTES,
                            Ipv6.nextHeader(bytes, at),
                            Ipv6.source(bytes, at).toString(),
                            Ipv6.destination(bytes, at).toString(),
                            left - Ipv6.BYTES);
        }
        return "IP " + CUT;
    }

    private static String transport(
            MemorySegment bytes, int at, int protocol, String source, String destination, int left) {
        String ends = source + " > " + destination + ": ";
        if (bytes.byteSize() - at < Udp.BYTES) {
            return ends + CUT;
        }
        return switch (protocol) {
            case Ipv4.PROTOCOL_UDP ->
                source + "." + Udp.sourcePort(bytes, at) + " > " + destination + "." + Udp.destinationPort(bytes, at)
                        + ": UDP, length " + (left - Udp.BYTES);
            case Icmp.PROTOCOL -> ends + icmp("ICMP", bytes, at, Icmp.ECHO_REQUEST, Icmp.ECHO_REPLY, left);
            case Icmpv6.NEXT_HEADER -> ends + icmp("ICMP6", bytes, at, Icmpv6.ECHO_REQUEST, Icmpv6.ECHO_REPLY, left);
            default -> ends + "protocol " + protocol + ", length " + left;
        };
    }

    private static String icmp(String name, MemorySegment bytes, int at, int request, int reply, int left) {
        int type = Icmp.type(bytes, at);
        if (type != request && type != reply) {
            return name + " type " + type + " code " + Icmp.code(bytes, at) + ", length " + left;
        }
        return name + " echo " + (type == request ? "request" : "reply") + ", id " + Icmp.identifier(bytes, at)
                + ", seq " + Icmp.sequence(bytes, at) + ", length " + left;
    }
}
