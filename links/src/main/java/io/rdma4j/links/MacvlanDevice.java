// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An additional station on the link of an Ethernet device ({@code drivers/net/macvlan.c}, mode {@code vepa}). It has a
 * link address of its own, and receives the frames sent to it and those sent to groups. Stations on one device reach
 * each other only if the network sends their frames back.
 *
 * <p>It can be bound to a VLAN transparently, like a virtual function ({@link #portVlan}).
 */
public final class MacvlanDevice implements NetDeviceOps, DeviceControl {
    private static final int PACKETS_KEPT = 64;
    private static final int NO_TAG = -1;

    private final NetDevice lower;
    private final NetDevice device;
    private final Footing footing;

    /** Tag control information of all frames on the lower device; {@link #NO_TAG} for none. */
    private volatile int portTci = NO_TAG;

    private MacvlanDevice(NetDevice lower, String name, long mac) {
        this.lower = lower;
        NetDeviceSetup setup = new NetDeviceSetup(LinkType.ETHERNET, name, 0, lower.mtu(), mac, List.of(), Set.of());
        this.device = new NetDevice(setup.withPrivateFlags(PrivateFlag.LIVE_ADDR_CHANGE), this, PACKETS_KEPT);
        device.node().type("macvlan");
        this.footing = new Footing(device, lower, this::follow);
    }

    /**
     * Creates a station; the caller registers it in the namespace of the lower device.
     *
     * @param lower an Ethernet device, registered
     * @param name or pattern
     * @param mac its link address, 48 bits; 0 selects a random one
     * @return the station, down
     * @throws RdmaException EINVAL for another kind of device; at its registration, EBUSY if the lower device already
     *     has another receive handler
     */
    public static MacvlanDevice create(NetDevice lower, String name, long mac) {
        if (lower.linkType() != LinkType.ETHERNET || lower.flags().has(DeviceFlag.LOOPBACK)) {
            throw new RdmaException(
                    Errno.EINVAL, lower.name() + " is no Ethernet device that could have more stations");
        }
        return new MacvlanDevice(lower, name, mac);
    }

    /** {@return the device of the station} */
    public NetDevice netDevice() {
        return device;
    }

    /** {@code macvlan_dev_get_iflink}. */
    @Override
    public NetDevice lower(NetDevice upper) {
        return lower;
    }

    /**
     * Binds the station to a VLAN. On the lower device all its frames have this tag, and it receives only frames with
     * the tag; the station's own stack sees no tag. VLAN 0 with priority 0 removes the binding.
     *
     * @param vid 0..4094
     * @param codePoint priority in the tag, 0..7
     * @throws RdmaException EINVAL for a priority out of range, ERANGE for a VLAN out of range, or the error of the
     *     lower device
     */
    public void portVlan(int vid, int codePoint) {
        PriorityMap.checkCodePoint(codePoint);
        int before = portTci;
        if (vid != 0) {
            lower.vlans().addVid(EtherType.VLAN, vid);
        }
        portTci = vid == 0 && codePoint == 0 ? NO_TAG : codePoint << 13 | vid;
        release(before);
    }

    private void release(int tci) {
        if (tci != NO_TAG && (tci & 0xFFF) != 0) {
            lower.vlans().removeVid(EtherType.VLAN, tci & 0xFFF);
        }
    }

    /** Returns true if a frame with this out-of-band tag, or without a tag, is of the station's VLAN. */
    boolean isTagged(SkBuff skb) {
        int tci = portTci;
        return tci == NO_TAG
                ? !skb.meta().vlanTagPresent()
                : skb.meta().vlanTagPresent() && ((skb.meta().vlanTci() ^ tci) & 0xFFF) == 0;
    }

    // Lifecycle

    @Override
    public void init(NetDevice registered) {
        MacvlanPort.of(lower).add(this);
        footing.take();
    }

    @Override
    public void uninit(NetDevice unregistered) {
        MacvlanPort.of(lower).remove(this);
        release(portTci);
        footing.leave();
    }

    @Override
    public void open(NetDevice opened) {
        footing.open();
    }

    @Override
    public void stop(NetDevice stopped) {
        footing.stop();
    }

    /** {@code macvlan_device_event}. */
    private void follow(NetDeviceEvent event) {
        switch (event) {
            case UP, CARRIER_CHANGE -> footing.updateCarrier();
            case DOWN -> {
                device.down();
                device.setCarrier(false);
            }
            case MTU_CHANGE -> device.setMtu(Math.min(device.mtu(), lower.mtu()));
            case MAC_CHANGE -> footing.updateAddresses();
            case UNREGISTER -> device.unregister();
            default -> {
                // Other events do not affect a station.
            }
        }
    }

    // Callbacks of the core

    @Override
    public void changeMtu(NetDevice changed, int bytes) {
        footing.checkMtu(bytes, Errno.EINVAL);
    }

    @Override
    public void setRxMode(NetDevice changed) {
        footing.setRxMode();
    }

    // Data path

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        int bytes = skb.len();
        int tci = portTci;
        if (tci != NO_TAG) {
            skb.meta().vlanTag(EtherType.VLAN, tci);
        }
        if (lower.transmit(skb) == NetdevTx.BUSY) {
            skb.meta().clearVlanTag();
            skb.meta().device(from);
            return NetdevTx.BUSY;
        }
        from.stats().countTransmitted(1, bytes);
        return NetdevTx.OK;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        return null;
    }
}
