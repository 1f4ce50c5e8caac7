// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.AttributeGroup;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A bridge ({@code net/bridge}), which is a switch. A frame received by one port leaves by the port behind which its
 * destination is, or by all others if the destination is unknown. The bridge learns stations from the frames that they
 * send. It is a station itself: it receives frames sent to its address, and its own frames leave by its ports.
 *
 * <p>There is no spanning tree. In a network whose bridges form a ring, broadcast frames circulate forever, as without
 * spanning tree on Linux. Each link then drops frames that exceed its capacity, and all loops continue to serve other
 * traffic, as slowly as the storm makes it. A ring of stacked devices within a host cannot be built: see
 * {@link io.rdma4j.net.DeviceStack}.
 *
 * <p>VLAN tags are forwarded unchanged and ignored. Ports are added and removed only while no thread runs the loop.
 */
public final class BridgeDevice implements NetDeviceOps, DeviceControl {
    /** Time without a frame after which a station is forgotten ({@code BR_DEFAULT_AGEING_TIME}): 300 s. */
    public static final long DEFAULT_AGEING_NS = 300_000_000_000L;

    /** Largest MTU of a bridge, bytes: that of jumbo frames. */
    public static final int MAX_MTU = 9216;

    private static final int DEFAULT_MTU = 1500;

    /** Maximum number of frame copies that are queued for several ports and not sent yet. */
    private static final int COPIES = 256;

    private static final int PACKETS_KEPT = 64;

    static final String AGEING_TIME = "ageing_time";
    private static final long NS_PER_TICK = 10_000_000;

    private final NanoClock clock;
    private final NetDevice device;
    private final StationTable<BridgePort> stations = new StationTable<>();
    private final PacketCopies copies;
    private volatile BridgePort[] ports = {};
    private volatile long ageingNs = DEFAULT_AGEING_NS;
    private boolean ownAddress;
    private boolean ownMtu;
    private boolean adopting;

    private BridgeDevice(String name, NanoClock clock) {
        this.clock = clock;
        NetDeviceSetup setup = new NetDeviceSetup(LinkType.ETHERNET, name, 0, MAX_MTU, 0, List.of(), Set.of())
                .withPrivateFlags(PrivateFlag.EBRIDGE, PrivateFlag.LIVE_ADDR_CHANGE);
        this.device = new NetDevice(setup, this, PACKETS_KEPT);
        device.node().type("bridge");
        DeviceAttribute ageing = new DeviceAttribute(() -> Long.toString(ageingNs / NS_PER_TICK), this::ageingTime);
        device.node().addGroup(new AttributeGroup("bridge", Map.of(AGEING_TIME, ageing)));
        this.copies = new PacketCopies(COPIES, device.maxFrameBytes());
        device.setMtu(DEFAULT_MTU);
        ownMtu = false;
        device.setCarrier(false);
    }

    /**
     * Creates a bridge without ports; the caller registers it. Its MTU and address are the smallest among its ports,
     * unless a user sets others.
     *
     * @param name or pattern, as {@code br%d}
     * @param clock measures ageing
     * @return the bridge, down
     */
    public static BridgeDevice create(String name, NanoClock clock) {
        return new BridgeDevice(name, clock);
    }

    /** {@return the network device of the bridge as a station} */
    public NetDevice netDevice() {
        return device;
    }

    /**
     * Sets the time for which a silent station is remembered; 0: not at all, so that all frames are flooded.
     *
     * @param ns nanoseconds
     */
    public void ageingNs(long ns) {
        ageingNs = ns;
    }

    /** Sets the ageing time from its text form, in hundredths of a second ({@code USER_HZ}). */
    void ageingTime(String ticks) {
        try {
            ageingNs(Integer.parseUnsignedInt(ticks) * NS_PER_TICK);
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, AGEING_TIME + " " + ticks + " is no number", e);
        }
    }

    /** {@return the number of stations in the table, including silent ones} */
    public int stations() {
        return stations.size();
    }

    // Ports

    /** {@code br_add_if}. */
    @Override
    public void addSlave(NetDevice bridge, NetDevice slave) {
        check(slave);
        BridgePort port = new BridgePort(this, slave);
        slave.rxHandler().register(port);
        try {
            slave.stack().link(device, true);
        } catch (RdmaException e) {
            slave.rxHandler().unregister();
            throw e;
        }
        slave.flags().set(PrivateFlag.BRIDGE_PORT, true);
        slave.link().setPromiscuity(1);
        slave.addListener(port);
        ports = Stream.concat(Arrays.stream(ports), Stream.of(port)).toArray(BridgePort[]::new);
        adopt();
        portChanged(port);
    }

    private void check(NetDevice slave) {
        if (slave.linkType() != LinkType.ETHERNET || slave.flags().has(DeviceFlag.LOOPBACK)) {
            throw new RdmaException(Errno.EINVAL, slave.name() + " is no Ethernet device that a bridge could take");
        }
        if (slave.flags().has(PrivateFlag.EBRIDGE)) {
            throw new RdmaException(Errno.ELOOP, slave.name() + " is a bridge: no bridge is a port of one");
        }
        if (NetNamespace.of(slave) != NetNamespace.of(device)) {
            throw new RdmaException(Errno.EINVAL, slave.name() + " and " + device.name() + " are not in one namespace");
        }
    }

    /** {@code br_del_if}. */
    @Override
    public void delSlave(NetDevice bridge, NetDevice slave) {
        for (BridgePort port : ports) {
            if (port.device() == slave) {
                remove(port);
            }
        }
    }

    private void remove(BridgePort port) {
        NetDevice slave = port.device();
        ports = Arrays.stream(ports).filter(other -> other != port).toArray(BridgePort[]::new);
        slave.removeListener(port);
        slave.link().setPromiscuity(-1);
        slave.flags().set(PrivateFlag.BRIDGE_PORT, false);
        slave.stack().unlink(device);
        slave.rxHandler().unregister();
        stations.forget(port);
        adopt();
        updateCarrier();
    }

    /** Reports that a port has started or stopped forwarding. */
    void portChanged(BridgePort port) {
        if (!port.isForwarding()) {
            stations.forget(port);
        }
        updateCarrier();
    }

    private void updateCarrier() {
        device.setCarrier(Arrays.stream(ports).anyMatch(BridgePort::isForwarding));
    }

    /** Adopts MTU and address of its ports ({@code br_mtu_auto_adjust}, {@code br_stp_recalculate_bridge_id}). */
    void adopt() {
        if (ports.length == 0) {
            return;
        }
        int mtu =
                Arrays.stream(ports).mapToInt(port -> port.device().mtu()).min().orElse(MAX_MTU);
        long mac = Arrays.stream(ports)
                .mapToLong(port -> port.device().macAddress())
                .min()
                .orElse(0);
        adopting = true;
        try {
            if (!ownMtu) {
                device.setMtu(Math.min(mtu, MAX_MTU));
            }
            if (!ownAddress && mac != device.macAddress()) {
                device.setMacAddress(mac);
            }
        } finally {
            adopting = false;
        }
    }

    // Callbacks of the core

    @Override
    public void setMacAddress(NetDevice changed, long mac) {
        ownAddress |= !adopting;
    }

    @Override
    public void changeMtu(NetDevice changed, int bytes) {
        ownMtu |= !adopting;
    }

    @Override
    public void uninit(NetDevice unregistered) {
        for (BridgePort port : ports) {
            remove(port);
        }
    }

    @Override
    public void destructor(NetDevice released) {
        copies.close();
    }

    // Data path

    /** {@code br_dev_xmit}. */
    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        from.stats().countTransmitted(1, skb.len());
        forward(skb, Ethernet.destination(skb.memory(), skb.data()), null, clock.nanoTime());
        return NetdevTx.OK;
    }

    /** Receives a frame that begins with its link header ({@code br_handle_frame_finish}). */
    void receive(SkBuff skb, long destination, long source, BridgePort from) {
        if (!device.isUp()) {
            skb.free();
            return;
        }
        long nowNs = clock.nanoTime();
        stations.learn(source, from, nowNs);
        if (skb.meta().ipSummed() != ChecksumState.PARTIAL) {
            // The checksum state of the receiving link is not valid for a transmitting link.
            skb.meta().ipSummed(ChecksumState.NONE);
        }
        PacketType type = device.link().typeOf(destination);
        if (type == PacketType.HOST) {
            device.receive(skb);
            return;
        }
        if (type != PacketType.OTHERHOST || device.link().isPromiscuous()) {
            SkBuff copy = copies.copy(skb);
            if (copy != null) {
                device.receive(copy);
            }
        }
        forward(skb, destination, from, nowNs);
    }

    /** Sends a frame to the port of its destination, or to all ports except the one that received it. */
    private void forward(SkBuff skb, long destination, @Nullable BridgePort from, long nowNs) {
        BridgePort to = stations.find(destination, nowNs, ageingNs);
        if (to == null) {
            flood(skb, from);
        } else if (to == from || !to.isForwarding()) {
            skb.free();
        } else {
            to.send(skb);
        }
    }

    /** {@code br_flood}: the last port gets the frame itself. */
    private void flood(SkBuff skb, @Nullable BridgePort from) {
        BridgePort last = null;
        for (BridgePort port : ports) {
            if (port == from || !port.isForwarding()) {
                continue;
            }
            if (last != null) {
                sendCopy(last, skb);
            }
            last = port;
        }
        if (last == null) {
            skb.free();
        } else {
            last.send(skb);
        }
    }

    private void sendCopy(BridgePort port, SkBuff skb) {
        SkBuff copy = copies.copy(skb);
        if (copy == null) {
            port.device().stats().countTransmitDrop();
        } else {
            port.send(copy);
        }
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        return null;
    }
}
