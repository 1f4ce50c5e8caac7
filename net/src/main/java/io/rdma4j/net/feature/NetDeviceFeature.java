// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.feature;

import io.rdma4j.net.device.PrivateFlag;
import java.util.Arrays;
import java.util.Optional;

/**
 * Offloads and properties of a device that can be switched on and off ({@code netdev_features_t}). Fixed properties of
 * a driver are a {@link PrivateFlag}.
 */
public enum NetDeviceFeature {
    /** Accepts buffers with fragments. */
    SG("tx-scatter-gather"),
    /** Computes the checksum of TCP and UDP over IPv4. */
    IP_CSUM("tx-checksum-ipv4"),
    /** Computes any transport checksum; excludes {@link #IP_CSUM} and {@link #IPV6_CSUM}. */
    HW_CSUM("tx-checksum-ip-generic"),
    /** Computes the checksum of TCP and UDP over IPv6. */
    IPV6_CSUM("tx-checksum-ipv6"),
    /** Accepts fragments outside the Java heap: off-heap and mapped memory. */
    HIGHDMA("highdma"),
    /** Accepts buffers with a fragment list. */
    FRAGLIST("tx-scatter-gather-fraglist"),
    /** Inserts the VLAN tag of a frame, which the buffer holds outside the packet data. */
    HW_VLAN_CTAG_TX("tx-vlan-hw-insert"),
    /** Removes the VLAN tag of received frames. */
    HW_VLAN_CTAG_RX("rx-vlan-hw-parse"),
    /** Receives frames of the added VLANs only. */
    HW_VLAN_CTAG_FILTER("rx-vlan-filter"),
    /** Cannot carry VLANs. */
    VLAN_CHALLENGED("vlan-challenged"),
    /** Accepts trains, which the driver or the core cuts as late as possible; requires {@link #SG}. */
    GSO("tx-generic-segmentation"),
    /** Transmits without the core's transmit lock. */
    LLTX("tx-lockless"),
    /** Cannot move to another namespace. */
    NETNS_LOCAL("netns-local"),
    /** Merges received packets of one flow before the protocols receive them. */
    GRO("rx-gro"),
    /** Accepts trains of TCP over IPv4; requires {@link #SG} and a checksum feature. */
    TSO("tx-tcp-segmentation"),
    /** Accepts trains of TCP over IPv6; requires {@link #SG} and a checksum feature. */
    TSO6("tx-tcp6-segmentation"),
    /** Accepts trains of UDP datagrams; requires a checksum feature. */
    GSO_UDP_L4("tx-udp-segmentation"),
    /** Provides the flow hash of received packets. */
    RXHASH("rx-hashing"),
    /** Provides the checksum of received packets, or verifies it. */
    RXCSUM("rx-checksum"),
    /** Received frames keep their frame check sequence, see {@link io.rdma4j.packet.PacketMeta#noFcs}. */
    RXFCS("rx-fcs");

    private final String ethtoolName;

    NetDeviceFeature(String ethtoolName) {
        this.ethtoolName = ethtoolName;
    }

    /** {@return its kernel name, such as {@code NETIF_F_SG}} */
    public String kernelName() {
        return "NETIF_F_" + name();
    }

    /** {@return its name in {@code ethtool -k}, such as {@code tx-scatter-gather}} */
    public String ethtoolName() {
        return ethtoolName;
    }

    /**
     * {@return the feature with a name of {@code ethtool}}
     *
     * @param name such as {@code tx-scatter-gather}
     */
    public static Optional<NetDeviceFeature> ofEthtoolName(String name) {
        return Arrays.stream(values())
                .filter(feature -> feature.ethtoolName.equals(name))
                .findAny();
    }
}
