// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import java.util.Arrays;
import java.util.Optional;

/** Groups of features that {@code ethtool -K} switches by a short name. */
public enum OffloadGroup {
    /** Receive checksums. */
    RX("rx", "rx-checksumming", FeatureSet.of(NetDeviceFeature.RXCSUM)),
    /** Transmit checksums. */
    TX(
            "tx",
            "tx-checksumming",
            FeatureSet.of(NetDeviceFeature.IP_CSUM, NetDeviceFeature.HW_CSUM, NetDeviceFeature.IPV6_CSUM)),
    /** Buffers with fragments. */
    SG("sg", "scatter-gather", FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.FRAGLIST)),
    /** TCP segmentation. */
    TSO("tso", "tcp-segmentation-offload", FeatureSet.ALL_TSO),
    /** Segmentation of all protocols, by the core. */
    GSO("gso", "generic-segmentation-offload", FeatureSet.of(NetDeviceFeature.GSO)),
    /** Merging of received packets. */
    GRO("gro", "generic-receive-offload", FeatureSet.of(NetDeviceFeature.GRO)),
    /** VLAN tags of received frames. */
    RXVLAN("rxvlan", "rx-vlan-offload", FeatureSet.of(NetDeviceFeature.HW_VLAN_CTAG_RX)),
    /** VLAN tags of sent frames. */
    TXVLAN("txvlan", "tx-vlan-offload", FeatureSet.of(NetDeviceFeature.HW_VLAN_CTAG_TX)),
    /** Flow hashes of received packets. */
    RXHASH("rxhash", "receive-hashing", FeatureSet.of(NetDeviceFeature.RXHASH));

    private final String shortName;
    private final String longName;

    @SuppressWarnings("ImmutableEnumChecker") // FeatureSet is immutable, although its superclass may not be
    private final FeatureSet features;

    OffloadGroup(String shortName, String longName, FeatureSet features) {
        this.shortName = shortName;
        this.longName = longName;
        this.features = features;
    }

    /**
     * {@return the group with a short name of {@code ethtool -K}}
     *
     * @param shortName such as {@code tso}
     */
    public static Optional<OffloadGroup> of(String shortName) {
        return Arrays.stream(values())
                .filter(group -> group.shortName.equals(shortName))
                .findAny();
    }

    /** {@return its name in {@code ethtool -k}, such as {@code scatter-gather}} */
    public String longName() {
        return longName;
    }

    /** {@return its features} */
    public FeatureSet features() {
        return features;
    }

    /**
     * {@return true if at least one of its features is active}
     *
     * @param device the device
     */
    public boolean isOn(NetDevice device) {
        return device.features().active().hasAny(features);
    }

    /**
     * {@return true if none of its features is changeable}
     *
     * @param device the device
     */
    public boolean isFixed(NetDevice device) {
        return !device.features().hw().hasAny(features);
    }

    /**
     * Switches all its changeable features, see {@link DeviceFeatures#request}.
     *
     * @param device the device
     * @param on true to set them, false to clear them
     * @throws RdmaException EOPNOTSUPP if none is changeable
     */
    public void set(NetDevice device, boolean on) {
        FeatureSet changeable = features.and(device.features().hw());
        if (changeable.isEmpty()) {
            throw new RdmaException(Errno.EOPNOTSUPP, device.name() + ": " + longName + " cannot be changed [fixed]");
        }
        device.features().request(on ? changeable : FeatureSet.NONE, changeable);
    }
}
