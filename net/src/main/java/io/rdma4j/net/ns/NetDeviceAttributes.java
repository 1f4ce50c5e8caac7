// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.AttributeGroup;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.net.DeviceNode;
import io.rdma4j.net.LinkStats64;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.QueueNode;
import io.rdma4j.net.device.DeviceFlag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import java.util.function.ToLongFunction;

/** The attributes of every device, as text in the kernel's format ({@code net/core/net-sysfs.c}). */
final class NetDeviceAttributes {
    /** Flags that {@code dev_get_flags} adds and that the attribute does not contain. */
    private static final int OF_THE_LINK =
            DeviceFlag.RUNNING.mask() | DeviceFlag.LOWER_UP.mask() | DeviceFlag.DORMANT.mask();

    private NetDeviceAttributes() {}

    /** Returns all groups of a device: the core's, then the driver's. */
    static List<AttributeGroup> of(NetDevice device) {
        List<AttributeGroup> groups = new ArrayList<>();
        groups.add(new AttributeGroup("", own(device)));
        groups.add(new AttributeGroup("statistics", statistics(device)));
        QueueNode.of(device).forEach(node -> groups.add(new AttributeGroup(node.path(), node.attributes())));
        groups.addAll(device.node().groups());
        return groups;
    }

    private static Map<String, DeviceAttribute> own(NetDevice device) {
        DeviceNode node = device.node();
        Map<String, DeviceAttribute> all = new HashMap<>(link(device));
        all.put("ifalias", new DeviceAttribute(node::alias, node::alias));
        all.put("ifindex", number(device::ifindex));
        all.put("iflink", number(() -> iflink(device)));
        all.put("mtu", number(device::mtu, device::setMtu));
        all.put(
                "flags",
                DeviceAttribute.readOnly(
                        () -> "0x" + Integer.toHexString(device.flags().get() & ~OF_THE_LINK)));
        all.put("speed", number(() -> device.ethtool().linkSettings().speedMbps()));
        all.put("duplex", DeviceAttribute.readOnly(() -> duplex(device)));
        all.put("tx_queue_len", number(device.transmitQueues()::length, device.transmitQueues()::length));
        all.put("netdev_group", number(node::group, node::group));
        all.put("uevent", DeviceAttribute.readOnly(() -> uevent(device)));
        return all;
    }

    /** Returns the attributes of the link and its addresses. */
    private static Map<String, DeviceAttribute> link(NetDevice device) {
        return Map.of(
                "carrier", DeviceAttribute.readOnly(() -> carrier(device)),
                "dormant", DeviceAttribute.readOnly(() -> device.linkState().isDormant() ? "1" : "0"),
                "operstate", DeviceAttribute.readOnly(() -> operState(device)),
                "link_mode", number(() -> device.linkState().linkMode().ordinal()),
                "type", number(() -> device.linkType().code()),
                "addr_assign_type", number(() -> device.link().assignment().code()),
                "addr_len", number(() -> device.linkType().addressBytes()),
                "address", DeviceAttribute.readOnly(() -> address(device, device.macAddress())),
                "broadcast",
                        DeviceAttribute.readOnly(
                                () -> address(device, device.link().broadcast())));
    }

    private static Map<String, DeviceAttribute> statistics(NetDevice device) {
        return Map.of(
                "rx_packets", counter(device, LinkStats64::rxPackets),
                "rx_bytes", counter(device, LinkStats64::rxBytes),
                "rx_errors", counter(device, LinkStats64::rxErrors),
                "rx_dropped", counter(device, LinkStats64::rxDropped),
                "rx_otherhost_dropped", counter(device, LinkStats64::rxOtherHost),
                "multicast", counter(device, LinkStats64::multicast),
                "tx_packets", counter(device, LinkStats64::txPackets),
                "tx_bytes", counter(device, LinkStats64::txBytes),
                "tx_errors", counter(device, LinkStats64::txErrors),
                "tx_dropped", counter(device, LinkStats64::txDropped));
    }

    private static String duplex(NetDevice device) {
        return device.ethtool().linkSettings().duplex().name().toLowerCase(Locale.ROOT);
    }

    private static String carrier(NetDevice device) {
        if (!device.isUp()) {
            throw new RdmaException(Errno.EINVAL, device.name() + " is down: its carrier is unknown");
        }
        return device.isCarrierOk() ? "1" : "0";
    }

    private static String operState(NetDevice device) {
        return device.linkState().operState().name().replace("_", "").toLowerCase(Locale.ROOT);
    }

    private static String address(NetDevice device, long mac) {
        return device.linkType().hasAddresses() ? device.link().format().toString(mac) : "";
    }

    private static int iflink(NetDevice device) {
        NetDevice lower = device.stack().lower();
        return lower == null ? device.ifindex() : lower.ifindex();
    }

    /** Returns the text that {@code udevadm info} prints. */
    private static String uevent(NetDevice device) {
        String type = device.node().type();
        return (type.isEmpty() ? "" : "DEVTYPE=" + type + "\n") + "INTERFACE=" + device.name() + "\nIFINDEX="
                + device.ifindex();
    }

    private static DeviceAttribute counter(NetDevice device, ToLongFunction<LinkStats64> of) {
        return DeviceAttribute.readOnly(() -> Long.toString(of.applyAsLong(LinkStats64.of(device))));
    }

    private static DeviceAttribute number(IntSupplier value) {
        return DeviceAttribute.readOnly(() -> Integer.toString(value.getAsInt()));
    }

    private static DeviceAttribute number(IntSupplier value, IntConsumer change) {
        return new DeviceAttribute(() -> Integer.toString(value.getAsInt()), text -> change.accept(parse(text)));
    }

    private static int parse(String text) {
        try {
            return Integer.decode(text.strip());
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is no number");
        }
    }
}
