// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.feature;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * The feature sets of a device: active, changeable and requested features, and those that upper devices inherit. Any
 * thread may read them. Changes, calls of the driver and calls of listeners happen under the RTNL lock.
 *
 * <p>A driver sets the features before the device is registered, at the latest in its {@code ndo_init}. Afterwards the
 * active features follow from the wanted ones, see {@link #update}.
 */
public final class DeviceFeatures {
    /** Default of the maximum train length, bytes ({@code GSO_LEGACY_MAX_SIZE}). */
    public static final int DEFAULT_GSO_MAX_SIZE = 65_536;

    private static final Logger LOG = System.getLogger(FeatureRules.CATEGORY);
    private static final FeatureSet HIGHDMA = FeatureSet.of(NetDeviceFeature.HIGHDMA);
    private static final FeatureSet VLAN_RECEIVE =
            FeatureSet.of(NetDeviceFeature.HW_VLAN_CTAG_RX, NetDeviceFeature.HW_VLAN_CTAG_FILTER);
    private static final FeatureSet SG = FeatureSet.of(NetDeviceFeature.SG);
    private static final FeatureSet TAG = FeatureSet.of(NetDeviceFeature.HW_VLAN_CTAG_TX);

    private final DeviceCore core;
    private final FeatureDriver driver;
    private volatile FeatureSet active;
    private volatile FeatureSet hw;
    private volatile FeatureSet wanted = FeatureSet.NONE;
    private volatile FeatureSet vlan = FeatureSet.NONE;
    private volatile FeatureSet hwEnc = FeatureSet.NONE;
    private volatile FeatureSet tagged = FeatureSet.NONE;
    private volatile FeatureSet encapsulated = FeatureSet.NONE;
    private volatile int gsoMaxSize = DEFAULT_GSO_MAX_SIZE;

    /**
     * Creates the features of a device. All of them are changeable, unless the driver calls {@link #offer}.
     *
     * @param core core of the device
     * @param driver driver of the device
     * @param active initial features
     */
    public DeviceFeatures(DeviceCore core, FeatureDriver driver, FeatureSet active) {
        this.core = core;
        this.driver = driver;
        this.active = active;
        this.hw = active.minus(FeatureSet.NEVER_CHANGE);
    }

    /** {@return the features that are active now ({@code features}); only the core changes them} */
    public FeatureSet active() {
        return active;
    }

    /**
     * {@return true if the feature is active now} Allocates nothing.
     *
     * @param feature the feature
     */
    public boolean has(NetDeviceFeature feature) {
        return active.has(feature);
    }

    /** {@return the features that users may change ({@code hw_features}); constant from registration on} */
    public FeatureSet hw() {
        return hw;
    }

    /**
     * {@return true if users cannot change the feature: {@code [fixed]} in the output of {@code ethtool -k}}
     *
     * @param feature the feature
     */
    public boolean isFixed(NetDeviceFeature feature) {
        return !hw.has(feature);
    }

    /** {@return the requested ones of the changeable features ({@code wanted_features})} */
    public FeatureSet wanted() {
        return wanted;
    }

    /** {@return the features that the device supports for frames with a VLAN tag ({@code vlan_features})} */
    public FeatureSet vlan() {
        return vlan;
    }

    /** {@return the features of a VLAN device above this one: the active ones for tagged frames, and LLTX} */
    public FeatureSet inheritedByVlan() {
        return active.and(vlan).plus(FeatureSet.of(NetDeviceFeature.LLTX));
    }

    /** {@return the features of a tunnel device above this one: the active ones for encapsulated packets} */
    public FeatureSet inheritedByTunnel() {
        return encapsulated;
    }

    /**
     * {@return the features that apply to a packet ({@code netif_skb_features})} Allocates nothing.
     *
     * @param skb the packet; the caller keeps it
     */
    public FeatureSet of(SkBuff skb) {
        if (skb.meta().encapsulation()) {
            return encapsulated;
        }
        return skb.meta().vlanTagPresent() || Ethernet.isVlan(skb.meta().protocol()) ? tagged : active;
    }

    /**
     * Sets the features that users may change. A driver calls it before registration.
     *
     * @param changeable the features that {@code ethtool -K} may switch
     * @throws RdmaException EBUSY if the device is registered, EINVAL for a feature that is never changeable
     */
    public void offer(FeatureSet changeable) {
        if (core.isRegistered()) {
            throw new RdmaException(Errno.EBUSY, core.name() + " is registered: what may be changed is constant");
        }
        if (changeable.hasAny(FeatureSet.NEVER_CHANGE)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    core.name() + ": " + names(changeable.and(FeatureSet.NEVER_CHANGE))
                            + " can be changed on no device");
        }
        hw = changeable;
    }

    /**
     * Sets the features that the driver supports for frames with a VLAN tag.
     *
     * @param features a subset of the device's features
     */
    public void vlan(FeatureSet features) {
        vlan = features;
        inherit();
    }

    /**
     * Sets the features that the driver supports for encapsulated packets.
     *
     * @param features a subset of the device's features
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
     * Does the part of {@code register_netdevice} that concerns features, after the driver's {@code ndo_init}. The
     * registration of the device calls it.
     *
     * @throws RdmaException EINVAL for a driver that has VLAN features and does not implement {@code VlanFilter}
     */
    public void register() {
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
        if (!needing.isEmpty() && !driver.hasVlanFilter()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    core.name() + ": buggy VLAN acceleration in its driver, which has " + names(needing)
                            + " and cannot be told of VLANs");
        }
    }

    /**
     * Switches one feature on or off ({@code ethtool -K}).
     *
     * @param feature the feature
     * @param on true to set it, false to clear it
     */
    public void set(NetDeviceFeature feature, boolean on) {
        FeatureSet one = FeatureSet.of(feature);
        request(on ? one : FeatureSet.NONE, one);
    }

    /**
     * Switches features on and off ({@code ethtool_set_features}). The driver or a rule may remove some of them;
     * {@link #active} returns the result. A removed feature becomes active when the reason for its removal ends.
     *
     * @param on the features to switch on
     * @param mask the features that this call changes: those in {@code mask} and not in {@code on} are switched off
     * @throws RdmaException EOPNOTSUPP if one of them is fixed; then nothing has changed
     */
    public void request(FeatureSet on, FeatureSet mask) {
        FeatureSet fixed = mask.minus(hw);
        if (!fixed.isEmpty()) {
            throw new RdmaException(Errno.EOPNOTSUPP, core.name() + ": " + names(fixed) + " cannot be changed [fixed]");
        }
        core.exclusively(() -> {
            wanted = wanted.minus(mask).plus(on.and(mask));
            update();
        });
    }

    /**
     * Recomputes the active features ({@code netdev_update_features}) and notifies listeners of a change. Drivers and
     * adjacent devices call it when a condition of theirs has changed.
     */
    public void update() {
        core.exclusively(() -> {
            if (apply()) {
                changed();
            }
        });
    }

    /** Notifies listeners that features have changed ({@code netdev_features_change}). */
    public void changed() {
        core.tell(NetDeviceEvent.FEATURES_CHANGE);
    }

    /** {@code __netdev_update_features}; returns true if the active features changed. */
    private boolean apply() {
        FeatureSet before = active;
        FeatureSet asked = before.minus(hw).plus(wanted.and(hw));
        FeatureSet fixed = FeatureRules.fix(core.name(), driver.fixFeatures(asked));
        if (fixed.equals(before)) {
            return false;
        }
        FeatureSet now = driver.setFeatures(fixed);
        if (!now.equals(fixed)) {
            LOG.log(
                    Level.WARNING,
                    "{0}: the driver set [{1}] in place of [{2}]",
                    core.name(),
                    names(now),
                    names(fixed));
        }
        active = now;
        inherit();
        return !now.equals(before);
    }

    /**
     * {@return the maximum train length that the driver accepts, bytes; longer trains are cut before
     * ({@code gso_max_size})}
     */
    public int gsoMaxSize() {
        return gsoMaxSize;
    }

    /**
     * Sets the maximum train length ({@code netif_set_gso_max_size}).
     *
     * @param bytes at least 1
     * @throws RdmaException EINVAL for less than 1
     */
    public void gsoMaxSize(int bytes) {
        if (bytes < 1) {
            throw new RdmaException(Errno.EINVAL, core.name() + ": a train of " + bytes + " bytes is less than 1");
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
