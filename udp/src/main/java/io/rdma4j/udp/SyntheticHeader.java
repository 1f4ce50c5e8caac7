// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.base.Gid;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The IP and UDP header that the socket removes and adds, made visible to the stack above. A received packet gets a
 * header with these values: identification 0 or the assumed one, "don't fragment", type of service 0, 64 hops, no UDP
 * checksum. The socket does not report the real ones, nor the congestion marks (ECN). For one thread.
 */
final class SyntheticHeader {

    private static final int HOPS = 64;

    private final Gid local;
    private final int localPort;

    /**
     * The sender of the last packet. Kept because reading the bytes of an {@link InetSocketAddress} allocates a copy of
     * them.
     */
    private @Nullable InetSocketAddress lastSource;

    private Gid lastSourceGid = Gid.ZERO;

    /**
     * Creates the headers for a socket that is bound to an address.
     *
     * @param local address that the socket is bound to
     * @param localPort its port
     */
    SyntheticHeader(Gid local, int localPort) {
        this.local = local;
        this.localPort = localPort;
    }

    /** {@return bytes of both headers} */
    int bytes() {
        return (local.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
    }

    /**
     * {@return true if a packet that starts with its IP header comes from the address of the socket}
     *
     * @param skb stays the caller's
     */
    boolean isSourceOf(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        if (skb.headLen() < bytes()) {
            return false;
        }
        if (local.isIpv4()) {
            return Ipv4.version(memory, at) == Ipv4.VERSION && Ipv4.source(memory, at) == local.ipv4();
        }
        return Ipv4.version(memory, at) == Ipv6.VERSION
                && Ipv6.sourcePrefix(memory, at) == local.prefix()
                && Ipv6.sourceInterfaceId(memory, at) == local.interfaceId();
    }

    /**
     * As {@link #push(SkBuff, long, long, int, int)}. Allocates if the sender differs from that of the previous call.
     */
    void push(SkBuff skb, InetSocketAddress source) {
        if (!source.equals(lastSource)) {
            lastSource = source;
            lastSourceGid = Gid.of(source.getAddress());
        }
        push(skb, lastSourceGid.prefix(), lastSourceGid.interfaceId(), source.getPort(), 0);
    }

    /**
     * Prepends the headers to a payload that the socket received.
     *
     * @param skb stays the caller's
     * @param prefix first half of the sender's address; an IPv4 address is mapped into IPv6
     * @param interfaceId second half
     * @param port of the sender
     * @param identification assumed value of the IPv4 header field, 16 bits; 0 if unknown
     */
    void push(SkBuff skb, long prefix, long interfaceId, int port, int identification) {
        int length = skb.len() + Udp.BYTES;
        Udp.write(skb.memory(), skb.push(Udp.BYTES), port, localPort, length);
        if (local.isIpv4()) {
            Ipv4.write(
                    skb.memory(),
                    skb.push(Ipv4.BYTES),
                    length + Ipv4.BYTES,
                    identification,
                    0,
                    HOPS,
                    Ipv4.PROTOCOL_UDP,
                    (int) interfaceId,
                    local.ipv4());
            skb.meta().protocol(EtherType.IPV4);
        } else {
            Ipv6.write(
                    skb.memory(),
                    skb.push(Ipv6.BYTES),
                    0,
                    0,
                    length,
                    Ipv6.NEXT_HEADER_UDP,
                    HOPS,
                    prefix,
                    interfaceId,
                    local.prefix(),
                    local.interfaceId());
            skb.meta().protocol(EtherType.IPV6);
        }
    }
}
