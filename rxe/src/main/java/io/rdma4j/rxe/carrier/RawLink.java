// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Determines the packets of a raw queue pair on a network interface. For the owner of the port loop only. */
final class RawLink {
    private final NetDevice device;
    private final QpType type;
    private final int protocol;

    /** Copy of the first bytes of a packet, which are in fragments. */
    private final MemorySegment start = Arena.ofAuto().allocate(Ipv6.BYTES);

    /** @param attributes of a raw queue pair whose type {@link #check} has accepted */
    RawLink(NetDevice device, QpSetup attributes) {
        this.device = device;
        this.type = attributes.type();
        this.protocol = switch (type) {
            case RAW_PACKET -> EtherType.ALL;
            case RAW_ETHERTYPE -> attributes.etherType();
            case RAW_IPV6 -> EtherType.IPV6;
            default -> throw new IllegalArgumentException(type + " is no raw type");
        };
    }

    /** Returns true if an interface has packets for queue pairs of a raw type. */
    static boolean has(NetDevice device, QpType type) {
        return type == QpType.RAW_IPV6
                ? device.linkType() == LinkType.IP && !device.flags().has(PrivateFlag.UDP_ONLY)
                : device.linkType() == LinkType.ETHERNET;
    }

    /** @throws RdmaException EOPNOTSUPP if the interface has no packets for queue pairs of a raw type */
    static void check(NetDevice device, QpType type) {
        if (!has(device, type)) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    "no queue pairs of type " + type
                            + ": below this device are IP packets or UDP sockets, not Ethernet frames");
        }
    }

    /** Returns the EtherType of the packets to receive. */
    int protocol() {
        return protocol;
    }

    /** Returns true if packets begin with the link header. */
    boolean showsHeader() {
        return type != QpType.RAW_IPV6;
    }

    /** Returns the maximum length of a packet in bytes. */
    int maxBytes() {
        return showsHeader() ? device.maxFrameBytes() : device.mtu();
    }

    /** Returns true if a packet to be sent has the type of this link. The packet has no linear part. */
    boolean carries(SkBuff skb) {
        int bytes = showsHeader() ? Ethernet.BYTES : Ipv6.BYTES;
        if (skb.len() < bytes) {
            return false;
        }
        try {
            skb.copyBits(0, start, 0, bytes);
        } catch (IllegalStateException closed) {
            return false;
        }
        return switch (type) {
            case RAW_ETHERTYPE -> Ethernet.etherType(start, 0) == protocol;
            case RAW_IPV6 ->
                Ipv6.version(start, 0) == Ipv6.VERSION && Ipv6.BYTES + Ipv6.payloadLength(start, 0) == skb.len();
            default -> true;
        };
    }
}
