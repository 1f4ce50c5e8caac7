// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
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
import io.rdma4j.net.skb.FlowHash;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several Ethernet devices that act as one ({@code drivers/net/bonding}, {@code drivers/net/team}): when the link of
 * one fails, another one takes over. All have the address of the bond.
 *
 * <p>A slave that loses its carrier, or goes down, is out of use at once. Packets already given to its link are lost,
 * as on any link. In {@link BondMode#ACTIVE_BACKUP} the active slave stays active as long as it works, even if an
 * earlier one recovers. The bond has a carrier while at least one of its slaves works.
 *
 * <p>Slaves are added and removed only while no thread runs the loop; carriers may change at any time.
 */
public final class BondDevice implements NetDeviceOps, DeviceControl {
    /** Largest MTU of a bond, bytes: that of jumbo frames. */
    public static final int MAX_MTU = 9216;

    private static final int DEFAULT_MTU = 1500;
    private static final int PACKETS_KEPT = 64;

    private final BondMode mode;
    private final PrivateFlag slaveFlag;
    private final FlowHash hash = new FlowHash(0);
    private final NetDevice device;
    private volatile BondSlave[] slaves = {};

    /** The working slaves; in active-backup only the active one. */
    private volatile BondSlave[] active = {};

    private boolean ownAddress;
    private boolean adopting;

    private BondDevice(String name, BondMode mode, PrivateFlag[] flags, PrivateFlag slaveFlag) {
        this.mode = mode;
        this.slaveFlag = slaveFlag;
        NetDeviceSetup setup = new NetDeviceSetup(LinkType.ETHERNET, name, 0, MAX_MTU, 0, List.of(), Set.of())
                .withFlags(DeviceFlag.BROADCAST, DeviceFlag.MULTICAST, DeviceFlag.MASTER)
                .withPrivateFlags(flags);
        this.device = new NetDevice(setup, this, PACKETS_KEPT);
        device.node().type("bond");
        device.node()
                .addGroup(new AttributeGroup(
                        "bonding",
                        Map.of(
                                "mode", DeviceAttribute.readOnly(() -> mode.text() + " " + mode.code()),
                                "slaves", DeviceAttribute.readOnly(() -> names(Arrays.stream(slaves))),
                                "active_slave",
                                        DeviceAttribute.readOnly(() ->
                                                mode == BondMode.ACTIVE_BACKUP ? names(Arrays.stream(active)) : ""))));
        device.setMtu(DEFAULT_MTU);
        device.setCarrier(false);
    }

    /**
     * Creates a bond without slaves; the caller registers it. Its address is that of its first slave, unless a user
     * sets another one.
     *
     * @param name or pattern, as {@code bond%d}
     * @param mode selects the slave for each packet
     * @return the bond, down
     */
    public static BondDevice bond(String name, BondMode mode) {
        PrivateFlag[] flags = {PrivateFlag.BONDING, PrivateFlag.LIVE_ADDR_CHANGE};
        return new BondDevice(name, mode, flags, PrivateFlag.BONDING);
    }

    /**
     * {@return a team, which is the same device under another name in Linux; its slaves are its ports}
     *
     * @param name or pattern, as {@code team%d}
     * @param mode selects the port for each packet
     */
    public static BondDevice team(String name, BondMode mode) {
        PrivateFlag[] flags = {PrivateFlag.LIVE_ADDR_CHANGE};
        return new BondDevice(name, mode, flags, PrivateFlag.TEAM_PORT);
    }

    /** {@return the network device of the bond} */
    public NetDevice netDevice() {
        return device;
    }

    /** {@return the slaves that send, in the order in which they were added; at most one in active-backup} */
    public List<NetDevice> active() {
        return Arrays.stream(active).map(BondSlave::device).toList();
    }

    private static String names(Stream<BondSlave> slaves) {
        return slaves.map(slave -> slave.device().name()).collect(Collectors.joining(" "));
    }

    // Slaves

    /** {@code bond_enslave}. */
    @Override
    public void addSlave(NetDevice bond, NetDevice slave) {
        check(slave);
        BondSlave added = new BondSlave(this, slave);
        slave.rxHandler().register(added);
        try {
            slave.stack().link(device, true);
            adopt(slave);
            slave.up();
        } catch (RdmaException e) {
            slave.stack().unlink(device);
            slave.rxHandler().unregister();
            added.restore();
            throw e;
        }
        slave.flags().set(DeviceFlag.SLAVE, slaveFlag == PrivateFlag.BONDING);
        slave.flags().set(slaveFlag, true);
        if (device.isUp()) {
            added.addresses().update();
        }
        slave.addListener(added);
        slaves = Stream.concat(Arrays.stream(slaves), Stream.of(added)).toArray(BondSlave[]::new);
        choose();
    }

    private void check(NetDevice slave) {
        if (slave.linkType() != LinkType.ETHERNET || slave.flags().has(DeviceFlag.LOOPBACK)) {
            throw new RdmaException(Errno.EINVAL, slave.name() + " is no Ethernet device that a bond could take");
        }
        if (NetNamespace.of(slave) != NetNamespace.of(device)) {
            throw new RdmaException(Errno.EINVAL, slave.name() + " and " + device.name() + " are not in one namespace");
        }
        if (slave.isUp()) {
            throw new RdmaException(Errno.EPERM, slave.name() + " is up: take it down to make it a slave");
        }
    }

    /** Gives the bond and the slave the same address and MTU. */
    private void adopt(NetDevice slave) {
        if (slaves.length == 0 && !ownAddress) {
            adopting = true;
            device.setMacAddress(slave.macAddress());
            adopting = false;
        }
        slave.setMacAddress(device.macAddress());
        slave.setMtu(device.mtu());
    }

    /** {@code bond_release}. */
    @Override
    public void delSlave(NetDevice bond, NetDevice slave) {
        for (BondSlave candidate : slaves) {
            if (candidate.device() == slave) {
                remove(candidate);
            }
        }
    }

    private void remove(BondSlave slave) {
        NetDevice released = slave.device();
        slaves = Arrays.stream(slaves).filter(other -> other != slave).toArray(BondSlave[]::new);
        released.removeListener(slave);
        choose();
        released.flags().set(DeviceFlag.SLAVE, false);
        released.flags().set(slaveFlag, false);
        released.stack().unlink(device);
        released.rxHandler().unregister();
        slave.restore();
    }

    /** Selects the slaves in use ({@code bond_select_active_slave}). Thread-safe. */
    void choose() {
        select();
        // Not under the monitor: a listener may acquire a lock whose holder waits for the monitor.
        device.setCarrier(active.length > 0);
    }

    private synchronized void select() {
        BondSlave[] working = Arrays.stream(slaves).filter(BondSlave::works).toArray(BondSlave[]::new);
        if (mode == BondMode.ACTIVE_BACKUP && working.length > 0) {
            BondSlave[] before = active;
            boolean stays = before.length > 0 && Arrays.asList(working).contains(before[0]);
            active = new BondSlave[] {stays ? before[0] : working[0]};
        } else {
            active = working;
        }
    }

    // Callbacks of the core

    @Override
    public void setMacAddress(NetDevice changed, long mac) {
        ownAddress |= !adopting;
        for (BondSlave slave : slaves) {
            slave.device().setMacAddress(mac);
        }
    }

    @Override
    public void changeMtu(NetDevice changed, int bytes) {
        for (BondSlave slave : slaves) {
            slave.device().setMtu(bytes);
        }
    }

    @Override
    public void setRxMode(NetDevice changed) {
        for (BondSlave slave : slaves) {
            slave.addresses().update();
        }
    }

    @Override
    public void stop(NetDevice stopped) {
        for (BondSlave slave : slaves) {
            slave.addresses().clear();
        }
    }

    @Override
    public void uninit(NetDevice unregistered) {
        for (BondSlave slave : slaves) {
            remove(slave);
        }
    }

    // Data path

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        int bytes = skb.len();
        BondSlave[] now = active;
        if (now.length == 0) {
            from.stats().countTransmitDrop();
            skb.free();
            return NetdevTx.OK;
        }
        BondSlave slave = now.length == 1 ? now[0] : now[Integer.remainderUnsigned(hash.of(skb), now.length)];
        if (slave.device().transmit(skb) == NetdevTx.BUSY) {
            skb.meta().device(from);
            return NetdevTx.BUSY;
        }
        from.stats().countTransmitted(1, bytes);
        return NetdevTx.OK;
    }

    /** Receives a frame whose data begins behind its link header ({@code bond_handle_frame}). */
    void receive(SkBuff skb, BondSlave from) {
        if (mode == BondMode.ACTIVE_BACKUP && !isActive(from)) {
            // The network duplicated the frame, or has not yet learned that another slave is active.
            from.device().stats().countReceiveDrop();
            skb.free();
            return;
        }
        skb.push(skb.data() - skb.macHeader());
        device.receive(skb);
    }

    private boolean isActive(BondSlave slave) {
        BondSlave[] now = active;
        return now.length > 0 && now[0] == slave;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        return null;
    }
}
