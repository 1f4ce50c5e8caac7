// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Tcp;
import io.rdma4j.wire.ip.Udp;
import io.rdma4j.wire.ip.VlanTag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads the flow of a packet: IP addresses, transport protocol, ports ({@code struct flow_keys},
 * {@code skb_flow_dissect}).
 *
 * <p>One object reads one packet after the other and allocates nothing; one thread at a time may use it. It trusts no
 * length in the packet. It reads headers in place, or, if they extend into fragments, from a copy of the packet's
 * beginning ({@code skb_header_pointer}).
 */
public final class FlowKeys {
    /** Maximum number of extension headers to skip; senders use fewer. */
    private static final int MAX_EXTENSIONS = 8;

    private static final int MAX_TAGS = 2;
    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int DESTINATION_OPTIONS = 60;
    private static final int FRAGMENT_BYTES = 8;
    private static final int PORTS_BYTES = 4;
    private static final long MAPPED_PREFIX = 0xFFFFL << Integer.SIZE;

    /** Bytes to copy: room for all headers that are read, with those of a packet quoted in an ICMP error. */
    private static final int COPY_BYTES = 512;

    private final MemorySegment copy = MemorySegment.ofArray(new byte[COPY_BYTES]);
    private MemorySegment memory = MemorySegment.NULL;
    private int end;
    private long sourceHigh;
    private long sourceLow;
    private long destinationHigh;
    private long destinationLow;
    private int transportOffset;
    private int protocol;
    private int sourcePort;
    private int destinationPort;
    private boolean ports;
    private boolean fragment;

    /** Creates it without a packet. */
    public FlowKeys() {}

    /**
     * Reads the headers of a packet, from the network header if its offset is set, else from {@link SkBuff#data()}.
     * {@link PacketMeta#protocol} names the first header. Up to two VLAN tags are skipped.
     *
     * @param skb a packet with headers in the linear part or in fragments; unchanged
     * @return false if there is no complete IP header; then all values are 0
     */
    public boolean dissect(SkBuff skb) {
        clear();
        int at = skb.networkHeaderWasSet() ? skb.networkHeader() : skb.data();
        if (skb.isNonlinear() && skb.tail() - at < COPY_BYTES && at >= skb.data()) {
            if (!copy(skb, at)) {
                return false;
            }
            at = 0;
        } else {
            memory = skb.memory();
            end = skb.tail();
        }
        int type = skb.meta().protocol();
        for (int tags = 0; tags < MAX_TAGS && Ethernet.isVlan(type) && at + VlanTag.BYTES <= end; tags++) {
            type = VlanTag.etherType(memory, at);
            at += VlanTag.BYTES;
        }
        return switch (type) {
            case Ethernet.TYPE_IPV4 -> dissectIpv4(at);
            case Ethernet.TYPE_IPV6 -> dissectIpv6(at);
            default -> false;
        };
    }

    /** Returns false if the memory of a fragment was released. */
    private boolean copy(SkBuff skb, int at) {
        int offset = at - skb.data();
        memory = copy;
        end = Math.min(skb.len() - offset, COPY_BYTES);
        try {
            skb.copyBits(offset, copy, 0, end);
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    /**
     * Reads the headers of an IP packet inside the last one, such as an ICMP error quotes.
     *
     * @param at offset of its IP header in {@link #memory()}
     * @return false if there is no complete IP header; then all values are 0
     */
    public boolean dissectInner(int at) {
        clear();
        if (at >= end) {
            return false;
        }
        return switch (Ipv4.version(memory, at)) {
            case Ipv4.VERSION -> dissectIpv4(at);
            case Ipv6.VERSION -> dissectIpv6(at);
            default -> false;
        };
    }

    private void clear() {
        sourceHigh = 0;
        sourceLow = 0;
        destinationHigh = 0;
        destinationLow = 0;
        transportOffset = 0;
        protocol = 0;
        sourcePort = 0;
        destinationPort = 0;
        ports = false;
        fragment = false;
    }

    private boolean dissectIpv4(int at) {
        if (at + Ipv4.BYTES > end || Ipv4.version(memory, at) != Ipv4.VERSION) {
            return false;
        }
        int bytes = Ipv4.headerBytes(memory, at);
        if (bytes < Ipv4.BYTES || at + bytes > end) {
            return false;
        }
        sourceHigh = 0;
        sourceLow = MAPPED_PREFIX | Integer.toUnsignedLong(Ipv4.source(memory, at));
        destinationHigh = 0;
        destinationLow = MAPPED_PREFIX | Integer.toUnsignedLong(Ipv4.destination(memory, at));
        fragment = Ipv4.isFragment(memory, at);
        readTransport(at + bytes, Ipv4.protocol(memory, at));
        return true;
    }

    private boolean dissectIpv6(int at) {
        if (at + Ipv6.BYTES > end || Ipv6.version(memory, at) != Ipv6.VERSION) {
            return false;
        }
        sourceHigh = Ipv6.sourcePrefix(memory, at);
        sourceLow = Ipv6.sourceInterfaceId(memory, at);
        destinationHigh = Ipv6.destinationPrefix(memory, at);
        destinationLow = Ipv6.destinationInterfaceId(memory, at);
        int next = Ipv6.nextHeader(memory, at);
        int behind = at + Ipv6.BYTES;
        for (int i = 0; i < MAX_EXTENSIONS && isExtension(next) && behind + FRAGMENT_BYTES <= end; i++) {
            int length = next == FRAGMENT ? FRAGMENT_BYTES : (octet(behind + 1) + 1) * Long.BYTES;
            fragment |= next == FRAGMENT;
            next = octet(behind);
            behind += length;
        }
        readTransport(behind, next);
        return true;
    }

    private static boolean isExtension(int header) {
        return header == HOP_BY_HOP || header == ROUTING || header == FRAGMENT || header == DESTINATION_OPTIONS;
    }

    private int octet(int at) {
        return memory.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
    }

    /** Only the first fragment of a datagram has ports. They are ignored, so that all fragments are one flow. */
    private void readTransport(int at, int header) {
        transportOffset = at;
        protocol = header;
        boolean hasPorts = header == Tcp.PROTOCOL || header == Ipv4.PROTOCOL_UDP;
        if (hasPorts && !fragment && at + PORTS_BYTES <= end) {
            sourcePort = Udp.sourcePort(memory, at);
            destinationPort = Udp.destinationPort(memory, at);
            ports = true;
        }
    }

    /** {@return first half of the source address; IPv4 is mapped into IPv6} */
    public long sourceHigh() {
        return sourceHigh;
    }

    /** {@return second half of the source address} */
    public long sourceLow() {
        return sourceLow;
    }

    /** {@return first half of the destination address} */
    public long destinationHigh() {
        return destinationHigh;
    }

    /** {@return second half of the destination address} */
    public long destinationLow() {
        return destinationLow;
    }

    /** {@return the memory of the headers: that of the packet, or a copy} */
    public MemorySegment memory() {
        return memory;
    }

    /** {@return end offset of the readable bytes in {@link #memory()}} */
    public int end() {
        return end;
    }

    /** {@return offset in {@link #memory()} after the IP header and its extensions; may be the end of the packet} */
    public int transportOffset() {
        return transportOffset;
    }

    /** {@return protocol number of the header after the IP header and its extensions, 8 bits} */
    public int protocol() {
        return protocol;
    }

    /** {@return the source port, 16 bits, 0 without {@link #hasPorts}} */
    public int sourcePort() {
        return sourcePort;
    }

    /** {@return the destination port, 16 bits, 0 without {@link #hasPorts}} */
    public int destinationPort() {
        return destinationPort;
    }

    /** {@return true for TCP and UDP packets that are not fragments} */
    public boolean hasPorts() {
        return ports;
    }

    /** {@return true for an IP fragment} */
    public boolean isFragment() {
        return fragment;
    }

    /** Formats protocol and both ends for display. Allocates. */
    @Override
    public String toString() {
        String source = new Gid(sourceHigh, sourceLow) + (ports ? " port " + sourcePort : "");
        String destination = new Gid(destinationHigh, destinationLow) + (ports ? " port " + destinationPort : "");
        return "protocol " + protocol + " " + source + " > " + destination + (fragment ? " fragment" : "");
    }
}
