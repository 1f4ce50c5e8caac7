package io.rdma4j.net;

import java.util.Arrays;
import java.util.Optional;

/**
 * What a device does beyond carrying finished linear packets, and can be switched on or off ({@code netdev_features_t}). What
 * a driver is by nature, and nobody switches, is a {@link PrivateFlag}.
 */
public enum NetDeviceFeature {
    /** Takes buffers with fragments. */
    SG("tx-scatter-gather"),
    /** Finishes the transport checksum of TCP and UDP over IPv4. */
    IP_CSUM("tx-checksum-ipv4"),
    /** Finishes any checksum; excludes {@link #IP_CSUM} and {@link #IPV6_CSUM}. */
    HW_CSUM("tx-checksum-ip-generic"),
    /** Finishes the transport checksum of TCP and UDP over IPv6. */
    IPV6_CSUM("tx-checksum-ipv6"),
    /** Takes fragments outside the Java heap: off-heap and mapped memory. */
    HIGHDMA("highdma"),
    /** Takes buffers with a list of buffers behind their fragments. */
    FRAGLIST("tx-scatter-gather-fraglist"),
    /** Puts the VLAN tag into frames that have it beside them. */
    HW_VLAN_CTAG_TX("tx-vlan-hw-insert"),
    /** Takes the VLAN tag out of frames that it receives. */
    HW_VLAN_CTAG_RX("rx-vlan-hw-parse"),
    /** Receives frames of those VLANs only that were added. */
    HW_VLAN_CTAG_FILTER("rx-vlan-filter"),
    /** Cannot carry VLANs. */
    VLAN_CHALLENGED("vlan-challenged"),
    /** Trains go down whole and are cut as late as possible, by whoever is the last to be able to; requires {@link #SG}. */
    GSO("tx-generic-segmentation"),
    /** Has a lock of its own: transmits without the core's. */
    LLTX("tx-lockless"),
    /** Does not change its namespace. */
    NETNS_LOCAL("netns-local"),
    /** Received packets of one flow are merged before the protocols see them. */
    GRO("rx-gro"),
    /** Takes trains of TCP over IPv4 whole; requires {@link #SG} and a checksum. */
    TSO("tx-tcp-segmentation"),
    /** Takes trains of TCP over IPv6 whole; requires {@link #SG} and a checksum. */
    TSO6("tx-tcp6-segmentation"),
    /** Takes trains of UDP datagrams whole; requires a checksum. */
    GSO_UDP_L4("tx-udp-segmentation"),
    /** Says of received packets what flow they belong to. */
    RXHASH("rx-hashing"),
    /** Says of received packets that their checksum fits, or what it is. */
    RXCSUM("rx-checksum"),
    /** Received frames keep their check sequence, see {@link io.rdma4j.packet.SkBuff#noFcs}. */
    RXFCS("rx-fcs");

    private final String ethtoolName;

    NetDeviceFeature(String ethtoolName) {
        this.ethtoolName = ethtoolName;
    }

    /** {@return its name as the kernel writes it: {@code NETIF_F_SG}} */
    public String kernelName() {
        return "NETIF_F_" + name();
    }

    /** {@return its name as {@code ethtool -k} shows it: {@code tx-scatter-gather}} */
    public String ethtoolName() {
        return ethtoolName;
    }

    /**
     * {@return the feature that {@code ethtool} calls so}
     *
     * @param name such as {@code tx-scatter-gather}
     */
    public static Optional<NetDeviceFeature> ofEthtoolName(String name) {
        return Arrays.stream(values())
                .filter(feature -> feature.ethtoolName.equals(name))
                .findAny();
    }
}
