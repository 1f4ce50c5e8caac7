package io.rdma4j.net.driver;

import io.rdma4j.base.Gid;
import io.rdma4j.net.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Udp;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Puts the IP and UDP header back in front of a payload that came from a socket: identification 0, "don't fragment",
 * type of service 0, 64 hops, no UDP checksum; the socket says nothing of the real ones, congestion marks (ECN) among them. For one thread.
 */
final class SyntheticHeader {
    /** Room it needs in front of a payload. */
    static final int MAX_BYTES = Ipv6.BYTES + Udp.BYTES;

    private static final int HOPS = 64;

    private final Gid local;
    private final int localPort;

    /** The sender of the last packet: the bytes of an address cannot be read without making a copy of them. */
    private @Nullable InetSocketAddress lastSource;

    private Gid lastSourceGid = Gid.ZERO;

    SyntheticHeader(Gid local, int localPort) {
        this.local = local;
        this.localPort = localPort;
    }

    /** Allocates when the sender is another one than last time. */
    void push(SkBuff skb, InetSocketAddress source) {
        if (!source.equals(lastSource)) {
            lastSource = source;
            lastSourceGid = Gid.of(source.getAddress());
        }
        int length = skb.len() + Udp.BYTES;
        Udp.write(skb.memory(), skb.push(Udp.BYTES), source.getPort(), localPort, length);
        if (local.isIpv4()) {
            Ipv4.write(
                    skb.memory(),
                    skb.push(Ipv4.BYTES),
                    length + Ipv4.BYTES,
                    0,
                    0,
                    HOPS,
                    Ipv4.PROTOCOL_UDP,
                    lastSourceGid.ipv4(),
                    local.ipv4());
            skb.protocol(EtherType.IPV4);
        } else {
            Ipv6.write(
                    skb.memory(),
                    skb.push(Ipv6.BYTES),
                    0,
                    0,
                    length,
                    Ipv6.NEXT_HEADER_UDP,
                    HOPS,
                    lastSourceGid.prefix(),
                    lastSourceGid.interfaceId(),
                    local.prefix(),
                    local.interfaceId());
            skb.protocol(EtherType.IPV6);
        }
    }
}
