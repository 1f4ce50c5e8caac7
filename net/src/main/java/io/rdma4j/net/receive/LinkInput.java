// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.net.address.LinkAddresses;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.IpoibHeader;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;

/** Removes the link header of a received packet and sets its protocol and packet type. */
final class LinkInput {
    private LinkInput() {}

    /** Returns false for a packet that is too short for its link header. */
    static boolean parse(SkBuff skb, LinkType linkType, LinkAddresses addresses, boolean keepsChecksum) {
        if (!keepsChecksum) {
            forgetChecksum(skb);
        }
        return switch (linkType) {
            case IP -> parseIp(skb);
            case ETHERNET -> parseEthernet(skb, addresses);
            case INFINIBAND -> parseInfiniband(skb);
        };
    }

    /**
     * Discards the driver's checksum result, because receive checksums are off. A packet that never had a checksum
     * still needs none.
     */
    private static void forgetChecksum(SkBuff skb) {
        if (skb.meta().ipSummed() != ChecksumState.PARTIAL) {
            skb.meta().ipSummed(ChecksumState.NONE);
        }
    }

    /** Returns true if the packet, whose link header is removed, is for the device. */
    static boolean accepts(SkBuff skb, LinkType linkType, LinkAddresses addresses) {
        return linkType != LinkType.ETHERNET
                || addresses.accepts(
                        Ethernet.destination(skb.memory(), skb.macHeader()),
                        skb.meta().packetType());
    }

    /**
     * As for a tunnel interface ({@code tun_get_user}): only the IP version tells the protocol; 0 for an unknown
     * version.
     */
    private static boolean parseIp(SkBuff skb) {
        int version = skb.headLen() == 0 ? 0 : Ipv4.version(skb.memory(), skb.data());
        skb.meta()
                .protocol(
                        switch (version) {
                            case Ipv4.VERSION -> EtherType.IPV4;
                            case Ipv6.VERSION -> EtherType.IPV6;
                            default -> 0;
                        });
        skb.meta().packetType(PacketType.HOST);
        skb.setMacHeader(0);
        skb.meta().macLen(0);
        skb.setNetworkHeader(0);
        return true;
    }

    /** As {@code ipoib_ib_handle_rx_wc}: the driver knows by the GRH whether the packet was sent to a group. */
    private static boolean parseInfiniband(SkBuff skb) {
        if (skb.headLen() < IpoibHeader.BYTES) {
            return false;
        }
        skb.meta().protocol(IpoibHeader.etherType(skb.memory(), skb.data()));
        skb.setMacHeader(0);
        skb.pull(IpoibHeader.BYTES);
        skb.meta().macLen(IpoibHeader.BYTES);
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
        skb.meta().protocol(typeOrLength < EtherType.LEAST ? EtherType.LLC : typeOrLength);
        skb.meta().packetType(addresses.typeOf(Ethernet.destination(skb.memory(), at)));
        skb.setMacHeader(0);
        skb.pull(Ethernet.BYTES);
        skb.meta().macLen(Ethernet.BYTES);
        skb.setNetworkHeader(0);
        return true;
    }
}
