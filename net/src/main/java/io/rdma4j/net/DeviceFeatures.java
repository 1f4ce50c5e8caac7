package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ethernet;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * The feature sets of a device: what it does, what may be changed of that, what was asked for, and what devices above it
 * inherit. Any thread may read; changes are made under the lock of the device, as are calls of the driver and of followers.
 *
 * <p>A driver gives the sets before the device is registered, at the latest in its {@code ndo_init}. From then on what is
 * active follows from what is wanted: see {@link #update}.
 */
public final class DeviceFeatures {
    /** What a train may be long if nobody says otherwise, bytes ({@code GSO_LEGACY_MAX_SIZE}). */
    public static final int DEFAULT_GSO_MAX_SIZE = 65_536;

    private static final Logger LOG = System.getLogger(FeatureRules.CATEGORY);
    private static final FeatureSet HIGHDMA = FeatureSet.of(NetDeviceFeature.HIGHDMA);
    private static final FeatureSet VLAN_RECEIVE =
            FeatureSet.of(NetDeviceFeature.HW_VLAN_CTAG_RX, NetDeviceFeature.HW_VLAN_CTAG_FILTER);
    private static final FeatureSet SG = FeatureSet.of(NetDeviceFeature.SG);
    private static final FeatureSet TAG = FeatureSet.of(NetDeviceFeature.HW_VLAN_CTAG_TX);

    private final NetDevice device;
    private final DeviceControl driver;
    private volatile FeatureSet active;
    private volatile FeatureSet hw;
    private volatile FeatureSet wanted = FeatureSet.NONE;
    private volatile FeatureSet vlan = FeatureSet.NONE;
    private volatile FeatureSet hwEnc = FeatureSet.NONE;
    private volatile FeatureSet tagged = FeatureSet.NONE;
    private volatile FeatureSet encapsulated = FeatureSet.NONE;
    private volatile int gsoMaxSize = DEFAULT_GSO_MAX_SIZE;

    /** All that the device starts with may be changed, unless the driver says otherwise. */
    DeviceFeatures(NetDevice device, DeviceControl driver, FeatureSet active) {
        this.device = device;
        this.driver = driver;
        this.active = active;
        this.hw = active.minus(FeatureSet.NEVER_CHANGE);
    }

    /** {@return what the device does now ({@code features}); changed by the core only} */
    public FeatureSet active() {
        return active;
    }

    /**
     * {@return true if the device does this now} Allocates nothing.
     *
     * @param feature one of the constants
     */
    public boolean has(NetDeviceFeature feature) {
        return active.has(feature);
    }

    /** {@return what users may change ({@code hw_features}); constant from registration on} */
    public FeatureSet hw() {
        return hw;
    }

    /**
     * {@return true if nobody may change this: {@code [fixed]} in the output of {@code ethtool -k}}
     *
     * @param feature one of the constants
     */
    public boolean isFixed(NetDeviceFeature feature) {
        return !hw.has(feature);
    }

    /** {@return what was asked for, of what may be changed ({@code wanted_features})} */
    public FeatureSet wanted() {
        return wanted;
    }

    /** {@return what the device could do for frames with a tag ({@code vlan_features})} */
    public FeatureSet vlan() {
        return vlan;
    }

    /**
     * {@return what a VLAN device above this one has: what this one does for frames with a tag, and no lock of its own}
     */
    public FeatureSet inheritedByVlan() {
        return active.and(vlan).plus(FeatureSet.of(NetDeviceFeature.LLTX));
    }

    /** {@return what the device could do for packets inside of others ({@code hw_enc_features})} */
    public FeatureSet hwEnc() {
        return hwEnc;
    }

    /**
     * {@return what a device that wraps its packets for this one has: what this one does for packets inside of others}
     */
    public FeatureSet inheritedByTunnel() {
        return encapsulated;
    }

    /** What the device does for this packet ({@code netif_skb_features}). Allocates nothing. */
    FeatureSet of(SkBuff skb) {
        if (skb.encapsulation()) {
            return encapsulated;
        }
        return skb.vlanTagPresent() || Ethernet.isVlan(skb.protocol()) ? tagged : active;
    }

    /**
     * For drivers, before registration: what users may change.
     *
     * @param changeable what {@code ethtool -K} may switch
     * @throws RdmaException EBUSY if the device is registered, EINVAL for what never changes
     */
    public void offer(FeatureSet changeable) {
        if (device.registration().isRegistered()) {
            throw new RdmaException(Errno.EBUSY, device.name() + " is registered: what may be changed is constant");
        }
        if (changeable.hasAny(FeatureSet.NEVER_CHANGE)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    device.name() + ": " + names(changeable.and(FeatureSet.NEVER_CHANGE))
                            + " can be changed on no device");
        }
        hw = changeable;
    }

    /**
     * For drivers: what the device can do for frames with a tag.
     *
     * @param features of those of the device
     */
    public void vlan(FeatureSet features) {
        vlan = features;
        inherit();
    }

    /**
     * For drivers: what the device can do for packets inside of others.
     *
     * @param features of those of the device
     */
    public void hwEnc(FeatureSet features) {
        hwEnc = features;
        inherit();
    }

    private void inherit() {
        tagged = active.and(vlan.plus(TAG));
        encapsulated = active.and(hwEnc);
    }

    /**
     * The part of {@code register_netdevice} that deals with features; the driver's {@code ndo_init} is over.
     *
     * @throws RdmaException EINVAL for a driver that has features of VLANs and is no {@link VlanFilter}
     */
    void register() {
        checkVlans();
        hw = hw.plus(FeatureSet.SOFT_FEATURES);
        active = active.plus(FeatureSet.SOFT_FEATURES);
        wanted = active.and(hw);
        vlan = vlan.plus(HIGHDMA);
        hwEnc = hwEnc.plus(SG);
        apply();
        inherit();
    }

    private void checkVlans() {
        FeatureSet needing = active.plus(hw).and(VLAN_RECEIVE);
        if (!needing.isEmpty() && !device.vlans().isTold()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    device.name() + ": buggy VLAN acceleration in its driver, which has " + names(needing)
                            + " and cannot be told of VLANs");
        }
    }

    /**
     * Switches one feature on or off ({@code ethtool -K}).
     *
     * @param feature one of the constants
     * @param on true to set it, false to clear it
     */
    public void set(NetDeviceFeature feature, boolean on) {
        FeatureSet one = FeatureSet.of(feature);
        request(on ? one : FeatureSet.NONE, one);
    }

    /**
     * Asks for features, and to be without others ({@code ethtool_set_features}). It may come out otherwise, if the driver
     * or a rule takes something away: what is {@link #active} afterwards tells. What was taken away comes back with its
     * reason.
     *
     * @param on those that are to be on
     * @param mask those that are meant at all: those of them that are not {@code on} are to be off
     * @throws RdmaException EOPNOTSUPP if one of them is fixed; nothing has changed then
     */
    public void request(FeatureSet on, FeatureSet mask) {
        FeatureSet fixed = mask.minus(hw);
        if (!fixed.isEmpty()) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, device.name() + ": " + names(fixed) + " cannot be changed [fixed]");
        }
        device.registration().exclusively(() -> {
            wanted = wanted.minus(mask).plus(on.and(mask));
            update();
        });
    }

    /**
     * Works out once more what is active ({@code netdev_update_features}); for drivers and devices above or below, when what
     * their say depends on has changed. Followers hear of it if something is different.
     */
    public void update() {
        device.registration().exclusively(() -> {
            if (apply()) {
                changed();
            }
        });
    }

    /** Tells followers that features have changed ({@code netdev_features_change}). */
    public void changed() {
        device.tell(NetDeviceEvent.FEATURES_CHANGE);
    }

    /** {@code __netdev_update_features}; true if what is active changed. */
    private boolean apply() {
        FeatureSet before = active;
        FeatureSet asked = before.minus(hw).plus(wanted.and(hw));
        FeatureSet fixed = FeatureRules.fix(device.name(), driver.fixFeatures(device, asked));
        if (fixed.equals(before)) {
            return false;
        }
        FeatureSet now = driver.setFeatures(device, fixed);
        if (!now.equals(fixed)) {
            LOG.log(
                    Level.WARNING,
                    "{0}: the driver set [{1}] in place of [{2}]",
                    device.name(),
                    names(now),
                    names(fixed));
        }
        active = now;
        inherit();
        return !now.equals(before);
    }

    /** {@return longest train that the driver gets whole, bytes; longer ones are cut before ({@code gso_max_size})} */
    public int gsoMaxSize() {
        return gsoMaxSize;
    }

    /**
     * Sets that limit ({@code netif_set_gso_max_size}).
     *
     * @param bytes at least 1
     * @throws RdmaException EINVAL for less than 1
     */
    public void gsoMaxSize(int bytes) {
        if (bytes < 1) {
            throw new RdmaException(Errno.EINVAL, device.name() + ": a train of " + bytes + " bytes is less than 1");
        }
        gsoMaxSize = bytes;
    }

    private static String names(FeatureSet features) {
        return String.join(
                " ", features.stream().map(NetDeviceFeature::ethtoolName).toList());
    }

    @Override
    public String toString() {
        return names(active);
    }
}
