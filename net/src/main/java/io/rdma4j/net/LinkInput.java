package io.rdma4j.net;

import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ethernet;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;

/** Takes the link header off a received packet, and says what is behind it and whom it is for. */
final class LinkInput {
    private LinkInput() {}

    /** False for a packet that is too short for its link header. */
    static boolean parse(SkBuff skb, NetDevice device) {
        if (!device.features().has(NetDeviceFeature.RXCSUM)) {
            forgetChecksum(skb);
        }
        return switch (device.linkType()) {
            case IP -> parseIp(skb);
            case ETHERNET -> parseEthernet(skb, device.link());
        };
    }

    /** Nobody asked the driver to look. What never had a checksum needs none all the same. */
    private static void forgetChecksum(SkBuff skb) {
        if (skb.ipSummed() != ChecksumState.PARTIAL) {
            skb.ipSummed(ChecksumState.NONE);
        }
    }

    /** True if the packet, whose link header is off, is for the device. */
    static boolean accepts(SkBuff skb, NetDevice device) {
        return device.linkType() == LinkType.IP
                || device.link().accepts(Ethernet.destination(skb.memory(), skb.macHeader()), skb.packetType());
    }

    /** As for a tunnel interface ({@code tun_get_user}): the version is all there is; protocol 0 for an unknown one. */
    private static boolean parseIp(SkBuff skb) {
        int version = skb.headLen() == 0 ? 0 : Ipv4.version(skb.memory(), skb.data());
        skb.protocol(
                switch (version) {
                    case Ipv4.VERSION -> EtherType.IPV4;
                    case Ipv6.VERSION -> EtherType.IPV6;
                    default -> 0;
                });
        skb.packetType(PacketType.HOST);
        skb.setMacHeader(0);
        skb.macLen(0);
        skb.setNetworkHeader(0);
        return true;
    }

    /** {@code eth_type_trans}. */
    private static boolean parseEthernet(SkBuff skb, LinkAddresses addresses) {
        if (skb.headLen() < Ethernet.BYTES) {
            return false;
        }
        int at = skb.data();
        int typeOrLength = Ethernet.etherType(skb.memory(), at);
        skb.protocol(typeOrLength < EtherType.LEAST ? EtherType.LLC : typeOrLength);
        skb.packetType(addresses.typeOf(Ethernet.destination(skb.memory(), at)));
        skb.setMacHeader(0);
        skb.pull(Ethernet.BYTES);
        skb.macLen(Ethernet.BYTES);
        skb.setNetworkHeader(0);
        return true;
    }
}
