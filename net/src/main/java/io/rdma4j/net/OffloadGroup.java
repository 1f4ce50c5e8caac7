package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Arrays;
import java.util.Optional;

/** The short names by which {@code ethtool -K} switches features that belong together. */
public enum OffloadGroup {
    /** Received checksums. */
    RX("rx", "rx-checksumming", FeatureSet.of(NetDeviceFeature.RXCSUM)),
    /** Checksums that are sent. */
    TX(
            "tx",
            "tx-checksumming",
            FeatureSet.of(NetDeviceFeature.IP_CSUM, NetDeviceFeature.HW_CSUM, NetDeviceFeature.IPV6_CSUM)),
    /** Buffers in pieces. */
    SG("sg", "scatter-gather", FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.FRAGLIST)),
    /** Trains of TCP. */
    TSO("tso", "tcp-segmentation-offload", FeatureSet.ALL_TSO),
    /** Trains of all kinds, by the core. */
    GSO("gso", "generic-segmentation-offload", FeatureSet.of(NetDeviceFeature.GSO)),
    /** Merging of what is received. */
    GRO("gro", "generic-receive-offload", FeatureSet.of(NetDeviceFeature.GRO)),
    /** Tags of received frames. */
    RXVLAN("rxvlan", "rx-vlan-offload", FeatureSet.of(NetDeviceFeature.HW_VLAN_CTAG_RX)),
    /** Tags of frames that are sent. */
    TXVLAN("txvlan", "tx-vlan-offload", FeatureSet.of(NetDeviceFeature.HW_VLAN_CTAG_TX)),
    /** Flows of received packets. */
    RXHASH("rxhash", "receive-hashing", FeatureSet.of(NetDeviceFeature.RXHASH));

    private final String shortName;
    private final String longName;

    @SuppressWarnings("ImmutableEnumChecker") // it is, and extends a class of which some are not
    private final FeatureSet features;

    OffloadGroup(String shortName, String longName, FeatureSet features) {
        this.shortName = shortName;
        this.longName = longName;
        this.features = features;
    }

    /**
     * {@return the group that {@code ethtool -K} calls so}
     *
     * @param shortName such as {@code tso}
     */
    public static Optional<OffloadGroup> of(String shortName) {
        return Arrays.stream(values())
                .filter(group -> group.shortName.equals(shortName))
                .findAny();
    }

    /** {@return its name as {@code ethtool -K} takes it: {@code sg}} */
    public String shortName() {
        return shortName;
    }

    /** {@return its name as {@code ethtool -k} shows it: {@code scatter-gather}} */
    public String longName() {
        return longName;
    }

    /** {@return what belongs to it} */
    public FeatureSet features() {
        return features;
    }

    /**
     * {@return true if the device does any of it}
     *
     * @param device whose it is
     */
    public boolean isOn(NetDevice device) {
        return device.features().active().hasAny(features);
    }

    /**
     * {@return true if none of it can be changed}
     *
     * @param device whose it is
     */
    public boolean isFixed(NetDevice device) {
        return !device.features().hw().hasAny(features);
    }

    /**
     * Switches all of it that can be changed, see {@link DeviceFeatures#request}.
     *
     * @param device whose it is
     * @param on true to set it, false to clear it
     * @throws RdmaException EOPNOTSUPP if nothing can
     */
    public void set(NetDevice device, boolean on) {
        FeatureSet changeable = features.and(device.features().hw());
        if (changeable.isEmpty()) {
            throw new RdmaException(Errno.EOPNOTSUPP, device.name() + ": " + longName + " cannot be changed [fixed]");
        }
        device.features().request(on ? changeable : FeatureSet.NONE, changeable);
    }
}
