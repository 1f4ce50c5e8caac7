// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A virtual LAN on an Ethernet device ({@code net/8021q}). Frames that it sends leave through the lower device with a
 * tag. It receives the frames with its tag that arrive there. The lower device may be another VLAN device: frames then
 * have two tags.
 *
 * <p>The tag is out-of-band (in the metadata); a driver that cannot send it so inserts it into the frame. Address, MTU,
 * state and features follow the lower device. The device is unregistered together with the lower one.
 */
public final class VlanDevice implements NetDeviceOps, DeviceControl {
    private static final System.Logger LOGGER = System.getLogger(VlanDevice.class.getName());

    /** Maximum number of sent packets that wait in a queue of the lower device or for a slow link. */
    private static final int PACKETS_KEPT = 64;

    private static final int PRIORITY_SHIFT = 13;

    private final NetDevice lower;
    private final int protocol;
    private final int vid;
    private final int txQueues;
    private final int rxQueues;
    private final NetDevice device;
    private final Footing footing;
    private final int[] ingress = new int[8];
    private volatile PriorityMap egress = PriorityMap.EMPTY;
    private boolean inheritsAddress = true;
    private boolean inheriting;

    private VlanDevice(NetDevice lower, String name, int protocol, int vid, int txQueues, int rxQueues) {
        this.lower = lower;
        this.protocol = protocol;
        this.vid = vid;
        this.txQueues = txQueues;
        this.rxQueues = rxQueues;
        NetDeviceSetup setup = new NetDeviceSetup(
                LinkType.ETHERNET,
                name,
                0,
                lower.mtu(),
                lower.macAddress(),
                List.of(),
                lower.features().vlan().plus(FeatureSet.of(NetDeviceFeature.LLTX)));
        this.device = new NetDevice(
                setup.withPrivateFlags(PrivateFlag.VLAN_802_1Q, PrivateFlag.LIVE_ADDR_CHANGE), this, PACKETS_KEPT);
        device.node().type("vlan");
        this.footing = new Footing(device, lower, this::follow);
    }

    /**
     * Creates a VLAN device ({@code register_vlan_device}); the caller registers it in the namespace of the lower one.
     *
     * @param lower an Ethernet device, registered
     * @param name or pattern; usually {@code eth0.5}
     * @param protocol {@link EtherType#VLAN} or {@link EtherType#SERVICE_VLAN}
     * @param vid 0..4094
     * @return the device, down
     * @throws RdmaException EOPNOTSUPP if the lower device does not support VLANs; at its registration, EEXIST if the
     *     VLAN already has a device, ERANGE for a number out of range
     */
    public static VlanDevice create(NetDevice lower, String name, int protocol, int vid) {
        return create(lower, name, protocol, vid, 1, 1);
    }

    /**
     * {@return a VLAN device with several queues; otherwise as the method above} The queues hold no packets, but their
     * numbers steer packets.
     *
     * @param lower an Ethernet device, registered
     * @param name or pattern; usually {@code eth0.5}
     * @param protocol {@link EtherType#VLAN} or {@link EtherType#SERVICE_VLAN}
     * @param vid number of the VLAN, 0..4094
     * @param txQueues transmit queues, 1 to 65535
     * @param rxQueues receive queues, at least 1
     */
    public static VlanDevice create(NetDevice lower, String name, int protocol, int vid, int txQueues, int rxQueues) {
        if (lower.linkType() != LinkType.ETHERNET || lower.features().has(NetDeviceFeature.VLAN_CHALLENGED)) {
            LOGGER.log(System.Logger.Level.INFO, "VLANs are not supported on {0}", lower.name());
            throw new RdmaException(Errno.EOPNOTSUPP, lower.name() + " cannot carry VLANs");
        }
        return new VlanDevice(lower, name, protocol, vid, txQueues, rxQueues);
    }

    /** {@return the network device of the VLAN} */
    public NetDevice netDevice() {
        return device;
    }

    /**
     * Maps the priority in the tag of received packets to their {@link PacketMeta#priority} ({@code ingress-qos-map}).
     * Default: 0.
     *
     * @param codePoint 0..7
     * @param priority {@link PacketMeta#priority}, 32 bits
     */
    public void ingress(int codePoint, int priority) {
        PriorityMap.checkCodePoint(codePoint);
        ingress[codePoint] = priority;
    }

    /**
     * Maps the {@link PacketMeta#priority} of sent packets to the priority in their tag ({@code egress-qos-map}).
     * Default: 0.
     *
     * @param priority {@link PacketMeta#priority}, 32 bits
     * @param codePoint 0..7
     */
    public synchronized void egress(int priority, int codePoint) {
        egress = egress.with(priority, codePoint);
    }

    @Override
    public int transmitQueues() {
        return txQueues;
    }

    @Override
    public int receiveQueues() {
        return rxQueues;
    }

    /** {@code vlan_dev_get_iflink}. */
    @Override
    public NetDevice lower(NetDevice upper) {
        return lower;
    }

    // Lifecycle

    @Override
    public void init(NetDevice registered) {
        lower.vlans().add(protocol, vid, this::receive);
        try {
            footing.take();
        } catch (RdmaException e) {
            lower.vlans().remove(protocol, vid);
            throw e;
        }
    }

    @Override
    public void uninit(NetDevice unregistered) {
        lower.vlans().remove(protocol, vid);
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

    /** {@code vlan_device_event}. */
    private void follow(NetDeviceEvent event) {
        switch (event) {
            case UP -> {
                device.setCarrier(lower.isCarrierOk());
                device.up();
            }
            case DOWN -> {
                device.down();
                device.setCarrier(false);
            }
            case CARRIER_CHANGE -> footing.updateCarrier();
            case MTU_CHANGE -> device.setMtu(Math.min(device.mtu(), lower.mtu()));
            case MAC_CHANGE -> followAddress();
            case FEATURES_CHANGE -> device.features().update();
            case UNREGISTER -> device.unregister();
            default -> {
                // Other events do not affect a VLAN.
            }
        }
    }

    /** {@code vlan_sync_address}. */
    private void followAddress() {
        if (inheritsAddress) {
            inheriting = true;
            device.setMacAddress(lower.macAddress());
            inheriting = false;
        }
        footing.updateAddresses();
    }

    // Callbacks of the core

    @Override
    public void setMacAddress(NetDevice changed, long mac) {
        inheritsAddress &= inheriting;
    }

    @Override
    public void changeMtu(NetDevice changed, int bytes) {
        footing.checkMtu(bytes, Errno.ERANGE);
    }

    @Override
    public void setRxMode(NetDevice changed) {
        footing.setRxMode();
    }

    @Override
    public FeatureSet fixFeatures(NetDevice changed, FeatureSet asked) {
        return asked.and(lower.features().inheritedByVlan().plus(FeatureSet.SOFT_FEATURES));
    }

    // Data path

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        int bytes = skb.len();
        int packets = skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
        skb.meta().vlanTag(protocol, egress.get(skb.meta().priority()) << PRIORITY_SHIFT | vid);
        if (lower.transmit(skb) == NetdevTx.BUSY) {
            skb.meta().clearVlanTag();
            skb.meta().device(from);
            return NetdevTx.BUSY;
        }
        from.stats().countTransmitted(packets, bytes);
        return NetdevTx.OK;
    }

    /** Receives a frame of this VLAN, after its link header, from the lower device ({@code vlan_do_receive}). */
    private void receive(SkBuff skb) {
        skb.meta().priority(ingress[skb.meta().vlanTci() >>> PRIORITY_SHIFT]);
        skb.meta().clearVlanTag();
        skb.push(skb.data() - skb.macHeader());
        device.receive(skb);
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        return null;
    }
}
