// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.LinkAddressFormat;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.receive.ReceiveHandler;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Arp;
import java.lang.foreign.MemorySegment;

/**
 * Resolves IPv4 addresses by ARP (RFC 826, {@code arp_process}): sends requests, replies to requests, and learns link
 * addresses. A station that requests one of our addresses becomes a neighbour. Other packets update only neighbours
 * that exist already.
 */
public final class ArpHandler implements ReceiveHandler {
    /** First half of an IPv4 address as a {@link Gid}. */
    private static final long PREFIX = 0;

    private final NetDevice device;
    private final OwnAddresses own;
    private final ControlPackets packets;
    private final NeighbourTable neighbours;
    private long malformed;

    /**
     * Creates the protocol of a device.
     *
     * @param device its link has the neighbours
     * @param own addresses of the device
     * @param packets sends the requests and replies
     * @param neighbours receives what is learned
     */
    public ArpHandler(NetDevice device, OwnAddresses own, ControlPackets packets, NeighbourTable neighbours) {
        this.device = device;
        this.own = own;
        this.packets = packets;
        this.neighbours = neighbours;
    }

    /** {@return number of packets that are not ARP for IPv4 over this type of link, or are malformed} */
    public long malformed() {
        return malformed;
    }

    /**
     * Asks for the link address of a neighbour ({@code arp_solicit}).
     *
     * @param neighbour with an IPv4 address
     */
    public void solicit(Neighbour neighbour) {
        Gid source = own.first(true);
        if (source == null) {
            return;
        }
        long to = neighbour.state().isValid() ? neighbour.mac() : MacAddress.BROADCAST;
        send(Arp.REQUEST, source.ipv4(), to, 0, neighbour.address().ipv4());
    }

    private void send(int operation, int sender, long to, long targetLink, int target) {
        SkBuff skb = packets.allocate(Arp.bytes(linkBytes()));
        if (skb != null) {
            MemorySegment memory = skb.memory();
            int at = skb.data();
            Arp.write(memory, at, device.linkType().code(), linkBytes(), operation, sender, target);
            LinkAddressFormat format = device.link().format();
            format.write(memory, at + Arp.SENDER_LINK, device.macAddress());
            format.write(memory, at + Arp.targetLinkOffset(linkBytes()), targetLink);
            packets.send(skb, EtherType.ARP, to);
        }
    }

    private int linkBytes() {
        return device.linkType().addressBytes();
    }

    @Override
    public void receive(SkBuff skb) {
        if (skb.meta().packetType() != PacketType.OTHERHOST && !device.flags().has(DeviceFlag.NOARP)) {
            if (isWellFormed(skb)) {
                process(skb);
            } else {
                malformed++;
            }
        }
        skb.free();
    }

    private boolean isWellFormed(SkBuff skb) {
        return skb.headLen() >= Arp.bytes(linkBytes())
                && Arp.isIpv4Over(skb.memory(), skb.data(), device.linkType().code(), linkBytes())
                && MacAddress.isValid(senderLink(skb.memory(), skb.data()));
    }

    private long senderLink(MemorySegment memory, int at) {
        return device.link().format().read(memory, at + Arp.SENDER_LINK);
    }

    private void process(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        int operation = Arp.operation(memory, at);
        int sender = Arp.sender(memory, at, linkBytes());
        int target = Arp.target(memory, at, linkBytes());
        // The packet claims one of our addresses as its sender: it teaches nothing.
        if (isOwn(sender) || operation != Arp.REQUEST && operation != Arp.REPLY) {
            return;
        }
        if (operation == Arp.REQUEST && isOwn(target)) {
            answer(memory, at, sender, target);
        } else if (sender != 0) {
            listen(skb, sender, operation == Arp.REPLY, sender == target);
        }
    }

    private boolean isOwn(int address) {
        return own.contains(PREFIX, interfaceId(address));
    }

    private static long interfaceId(int address) {
        return Gid.ofIpv4(address).interfaceId();
    }

    /**
     * Replies to a request. The requesting station becomes a neighbour, since packets to it follow soon ({@code
     * neigh_event_ns}), unless it only probes whether the address is free.
     */
    private void answer(MemorySegment memory, int at, int asker, int target) {
        long link = senderLink(memory, at);
        if (asker != 0) {
            Neighbour n = neighbours.findOrCreate(Gid.ofIpv4(asker));
            if (n != null) {
                neighbours.update(n, link, false, LinkClaim.STRONG);
            }
        }
        send(Arp.REPLY, target, link, link, asker);
    }

    /**
     * Learns from replies and announcements. Only a reply to us proves that the neighbour is reachable. Within {@code
     * locktime} after a link address was learned, only an announcement replaces it, because two stations may have
     * replied.
     */
    private void listen(SkBuff skb, int sender, boolean isReply, boolean isAnnouncement) {
        Neighbour n = neighbours.find(PREFIX, interfaceId(sender));
        if (n != null) {
            boolean confirmed = isReply && skb.meta().packetType() == PacketType.HOST;
            LinkClaim claim = isAnnouncement || neighbours.mayMove(n) ? LinkClaim.STRONG : LinkClaim.IGNORED;
            neighbours.update(n, senderLink(skb.memory(), skb.data()), confirmed, claim);
        }
    }
}
