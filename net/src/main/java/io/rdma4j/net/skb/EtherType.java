// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.wire.ip.Ethernet;

/**
 * Protocol numbers of {@link io.rdma4j.packet.PacketMeta#protocol}, with those that are not Ethernet types on the wire.
 */
public final class EtherType {
    /** All protocols, for {@code ProtocolHandlers.addTap} ({@code ETH_P_ALL}). */
    public static final int ALL = 0x0003;

    /** A frame with a length field instead of a type ({@code ETH_P_802_2}). */
    public static final int LLC = 0x0004;

    /** Smallest value that is a type and not a length ({@code ETH_P_802_3_MIN}). */
    public static final int LEAST = 0x0600;

    /** {@code ETH_P_IP}. */
    public static final int IPV4 = Ethernet.TYPE_IPV4;

    /** {@code ETH_P_ARP}. */
    public static final int ARP = Ethernet.TYPE_ARP;

    /** {@code ETH_P_IPV6}. */
    public static final int IPV6 = Ethernet.TYPE_IPV6;

    /** {@code ETH_P_8021Q}: a VLAN tag follows. */
    public static final int VLAN = Ethernet.TYPE_VLAN;

    /** {@code ETH_P_8021AD}: an outer VLAN tag follows. */
    public static final int SERVICE_VLAN = Ethernet.TYPE_SERVICE_VLAN;

    private EtherType() {}
}
