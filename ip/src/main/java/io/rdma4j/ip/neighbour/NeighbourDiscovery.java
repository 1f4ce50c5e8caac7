// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.receive.ReceiveHandler;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.NeighbourMessage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Resolves IPv6 addresses by neighbour solicitations and advertisements (RFC 4861, 7.2; {@code ndisc_rcv}). Other
 * ICMPv6 messages are only counted.
 */
public final class NeighbourDiscovery implements ReceiveHandler {
    /** Group of all stations of the link. */
    public static final Gid ALL_NODES = Gid.parse("ff02::1");

    private static final long SOLICITED_NODE_PREFIX = 0xFF02L << 48;
    private static final long SOLICITED_NODE = 0x1_FF00_0000L;
    private static final long SOLICITED_NODE_MASK = 0xFF_FFFFL;

    /** Hop limit of a packet that was sent on this link: no router has forwarded it. */
    private static final int HOP_LIMIT = 255;

    private final NetDevice device;
    private final OwnAddresses own;
    private final ControlPackets packets;
    private final NeighbourTable neighbours;
    private long malformed;
    private long unknown;

    /**
     * Creates the protocol of a device.
     *
     * @param device its link has the neighbours
     * @param own addresses of the device
     * @param packets sends the requests and replies
     * @param neighbours receives what is learned
     */
    public NeighbourDiscovery(NetDevice device, OwnAddresses own, ControlPackets packets, NeighbourTable neighbours) {
        this.device = device;
        this.own = own;
        this.packets = packets;
        this.neighbours = neighbours;
    }

    /** {@return number of messages that RFC 4861, 7.1 requires to discard, with those that have a wrong checksum} */
    public long malformed() {
        return malformed;
    }

    /** {@return number of messages of other types} */
    public long unknown() {
        return unknown;
    }

    /**
     * {@return group of all stations that may have an address (RFC 4291, 2.7.1)}
     *
     * @param address any
     */
    public static Gid solicitedNode(Gid address) {
        return new Gid(SOLICITED_NODE_PREFIX, SOLICITED_NODE | address.interfaceId() & SOLICITED_NODE_MASK);
    }

    /**
     * {@return true if a group is the solicited-node group of an address} Allocates nothing.
     *
     * @param address any
     * @param prefix first half of the group's address
     * @param interfaceId second half
     */
    public static boolean isSolicitedNode(Gid address, long prefix, long interfaceId) {
        return prefix == SOLICITED_NODE_PREFIX
                && interfaceId == (SOLICITED_NODE | address.interfaceId() & SOLICITED_NODE_MASK);
    }

    /**
     * Asks for the link address of a neighbour ({@code ndisc_solicit}).
     *
     * @param neighbour with an IPv6 address
     */
    public void solicit(Neighbour neighbour) {
        Gid source = own.first(false);
        if (source == null) {
            return;
        }
        Gid target = neighbour.address();
        boolean known = neighbour.state().isValid();
        Gid destination = known ? target : solicitedNode(target);
        SkBuff skb = message(source, destination, Icmpv6.NEIGHBOUR_SOLICITATION, 0, target);
        if (skb != null) {
            packets.send(
                    skb,
                    EtherType.IPV6,
                    known ? neighbour.mac() : device.link().format().ofGroup(destination));
        }
    }

    /**
     * Sends an advertisement of one of our addresses ({@code ndisc_send_na}). It waits in the neighbour table until the
     * destination's link address is known.
     */
    private void advertise(Gid target, Gid destination, int flags) {
        SkBuff skb =
                message(target, destination, Icmpv6.NEIGHBOUR_ADVERTISEMENT, flags | NeighbourMessage.OVERRIDE, target);
        if (skb != null && neighbours.resolve(skb, destination)) {
            packets.transmit(skb);
        }
    }

    private @Nullable SkBuff message(Gid source, Gid destination, int type, int flags, Gid target) {
        SkBuff skb = packets.allocate(Ipv6.BYTES + messageBytes());
        if (skb == null) {
            return null;
        }
        MemorySegment memory = skb.memory();
        int ip = skb.data();
        int at = ip + Ipv6.BYTES;
        Ipv6.write(
                memory,
                ip,
                0,
                0,
                messageBytes(),
                Icmpv6.NEXT_HEADER,
                HOP_LIMIT,
                source.prefix(),
                source.interfaceId(),
                destination.prefix(),
                destination.interfaceId());
        int option =
                type == Icmpv6.NEIGHBOUR_SOLICITATION ? NeighbourMessage.SOURCE_LINK : NeighbourMessage.TARGET_LINK;
        NeighbourMessage.write(memory, at, type, flags, target.prefix(), target.interfaceId());
        NeighbourMessage.writeOption(memory, at, option, optionBytes());
        device.link().format().write(memory, at + messageBytes() - linkBytes(), device.macAddress());
        Icmpv6.updateChecksum(memory, ip, at, messageBytes());
        return skb;
    }

    private int linkBytes() {
        return device.linkType().addressBytes();
    }

    private int optionBytes() {
        return NeighbourMessage.optionBytes(linkBytes());
    }

    private int messageBytes() {
        return NeighbourMessage.BYTES + optionBytes();
    }

    /** Receives an ICMPv6 message whose data begin with the ICMPv6 header. */
    @Override
    public void receive(SkBuff skb) {
        if (!isIntact(skb)) {
            malformed++;
        } else {
            switch (Icmpv6.type(skb.memory(), skb.data())) {
                case Icmpv6.NEIGHBOUR_SOLICITATION -> solicited(skb);
                case Icmpv6.NEIGHBOUR_ADVERTISEMENT -> advertised(skb);
                default -> unknown++;
            }
        }
        skb.free();
    }

    private static boolean isIntact(SkBuff skb) {
        return !skb.isNonlinear()
                && skb.len() >= Icmpv6.BYTES
                && Icmpv6.isIntact(skb.memory(), skb.networkHeader(), skb.data(), skb.len());
    }

    /** Checks the rules for both solicitations and advertisements (RFC 4861, 7.1.1 and 7.1.2). */
    private static boolean isValid(SkBuff skb, long link) {
        MemorySegment memory = skb.memory();
        return Ipv6.hopLimit(memory, skb.networkHeader()) == HOP_LIMIT
                && Icmpv6.code(memory, skb.data()) == 0
                && !isGroup(NeighbourMessage.targetPrefix(memory, skb.data()))
                && (link == NeighbourMessage.NO_LINK || MacAddress.isValid(link));
    }

    private static boolean isGroup(long prefix) {
        return prefix >>> 56 == 0xFF;
    }

    private long link(SkBuff skb, int option) {
        if (skb.len() < NeighbourMessage.BYTES) {
            return NeighbourMessage.MALFORMED;
        }
        int at = NeighbourMessage.linkOffset(skb.memory(), skb.data(), skb.len(), option, optionBytes());
        return at < 0 ? at : device.link().format().read(skb.memory(), skb.data() + at + optionBytes() - linkBytes());
    }

    /** {@code ndisc_recv_ns}. */
    private void solicited(SkBuff skb) {
        long link = link(skb, NeighbourMessage.SOURCE_LINK);
        MemorySegment memory = skb.memory();
        Gid source = Ipv6.source(memory, skb.networkHeader());
        boolean looksForFree = source.isZero();
        boolean probesWell =
                isGroup(Ipv6.destinationPrefix(memory, skb.networkHeader())) && link == NeighbourMessage.NO_LINK;
        if (!isValid(skb, link) || source.isMulticast() || looksForFree && !probesWell) {
            malformed++;
            return;
        }
        Gid target = target(skb);
        if (!own.contains(target.prefix(), target.interfaceId())
                || own.contains(source.prefix(), source.interfaceId())) {
            return;
        }
        if (looksForFree) {
            advertise(target, ALL_NODES, 0);
            return;
        }
        Neighbour n = link == NeighbourMessage.NO_LINK ? null : neighbours.findOrCreate(source);
        if (n != null) {
            neighbours.update(n, link, false, LinkClaim.STRONG);
        }
        advertise(target, source, NeighbourMessage.SOLICITED);
    }

    /** {@code ndisc_recv_na}. */
    private void advertised(SkBuff skb) {
        long link = link(skb, NeighbourMessage.TARGET_LINK);
        MemorySegment memory = skb.memory();
        boolean toGroup = isGroup(Ipv6.destinationPrefix(memory, skb.networkHeader()));
        if (!isValid(skb, link) || toGroup && NeighbourMessage.isSolicited(memory, skb.data())) {
            malformed++;
            return;
        }
        long prefix = NeighbourMessage.targetPrefix(memory, skb.data());
        long interfaceId = NeighbourMessage.targetInterfaceId(memory, skb.data());
        Neighbour n = own.contains(prefix, interfaceId) ? null : neighbours.find(prefix, interfaceId);
        if (n == null || n.state() == NeighbourState.FAILED) {
            return;
        }
        if (link == NeighbourMessage.NO_LINK) {
            if (!n.state().isValid()) {
                return;
            }
            link = n.mac();
        }
        LinkClaim claim = NeighbourMessage.overrides(memory, skb.data()) ? LinkClaim.STRONG : LinkClaim.WEAK;
        neighbours.update(n, link, NeighbourMessage.isSolicited(memory, skb.data()), claim);
    }

    private static Gid target(SkBuff skb) {
        return new Gid(
                NeighbourMessage.targetPrefix(skb.memory(), skb.data()),
                NeighbourMessage.targetInterfaceId(skb.memory(), skb.data()));
    }
}
