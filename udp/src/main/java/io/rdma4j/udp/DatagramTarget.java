// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/** The destination of a packet that starts with its IP header: address and UDP port. For one thread. */
final class DatagramTarget {
    private final int scopeId;
    private boolean ipv4;
    private long prefix;
    private long interfaceId;
    private int port;

    /** @param scopeId of the interface, for link-local addresses */
    DatagramTarget(int scopeId) {
        this.scopeId = scopeId;
    }

    /** Returns the bytes of a packet's IP and UDP headers. */
    static int headerBytes(SkBuff skb) {
        return ipBytes(skb) + Udp.BYTES;
    }

    private static int ipBytes(SkBuff skb) {
        return isIpv4(skb) ? Ipv4.BYTES : Ipv6.BYTES;
    }

    static boolean isIpv4(SkBuff skb) {
        return Ipv4.version(skb.memory(), skb.data()) == Ipv4.VERSION;
    }

    private static int port(SkBuff skb) {
        return Udp.destinationPort(skb.memory(), skb.data() + (long) ipBytes(skb));
    }

    /** Copies the destination of a packet. */
    void set(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        ipv4 = isIpv4(skb);
        prefix = ipv4 ? Ipv4.destination(memory, at) : Ipv6.destinationPrefix(memory, at);
        interfaceId = ipv4 ? 0 : Ipv6.destinationInterfaceId(memory, at);
        port = port(skb);
    }

    /** Returns true if a packet has this destination. */
    boolean isOf(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        boolean same = ipv4
                ? Ipv4.destination(memory, at) == (int) prefix
                : Ipv6.destinationPrefix(memory, at) == prefix
                        && Ipv6.destinationInterfaceId(memory, at) == interfaceId;
        return isIpv4(skb) == ipv4 && same && port(skb) == port;
    }

    void writeTo(OutgoingMessage message) {
        if (ipv4) {
            message.toIpv4((int) prefix, port);
        } else {
            message.toIpv6(prefix, interfaceId, port, scopeId);
        }
    }
}
