package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.Attribute;
import io.rdma4j.net.AttributeGroup;
import io.rdma4j.net.DeviceFlag;
import io.rdma4j.net.DeviceNode;
import io.rdma4j.net.LinkStats64;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.QueueNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import java.util.function.ToLongFunction;

/** The attributes that every device shows, as text in the kernel's form ({@code net/core/net-sysfs.c}). */
final class DeviceAttributes {
    /** What {@code dev_get_flags} adds, and the attribute does not have. */
    private static final int OF_THE_LINK =
            DeviceFlag.RUNNING.mask() | DeviceFlag.LOWER_UP.mask() | DeviceFlag.DORMANT.mask();

    private DeviceAttributes() {}

    /** All groups of a device: the core's, then those that its driver added. */
    static List<AttributeGroup> of(NetDevice device) {
        List<AttributeGroup> groups = new ArrayList<>();
        groups.add(new AttributeGroup("", own(device)));
        groups.add(new AttributeGroup("statistics", statistics(device)));
        QueueNode.of(device).forEach(node -> groups.add(new AttributeGroup(node.path(), node.attributes())));
        groups.addAll(device.node().groups());
        return groups;
    }

    private static Map<String, Attribute> own(NetDevice device) {
        DeviceNode node = device.node();
        Map<String, Attribute> all = new HashMap<>(link(device));
        all.put("ifalias", new Attribute(node::alias, node::alias));
        all.put("ifindex", number(device::ifindex));
        all.put("iflink", number(() -> iflink(device)));
        all.put("mtu", number(device::mtu, device::setMtu));
        all.put(
                "flags",
                Attribute.readOnly(
                        () -> "0x" + Integer.toHexString(device.flags().get() & ~OF_THE_LINK)));
        all.put("speed", number(() -> device.ethtool().linkSettings().speedMbps()));
        all.put("duplex", Attribute.readOnly(() -> duplex(device)));
        all.put("tx_queue_len", number(device.transmitQueues()::length, device.transmitQueues()::length));
        all.put("netdev_group", number(node::group, node::group));
        all.put("uevent", Attribute.readOnly(() -> uevent(device)));
        return all;
    }

    /** The link and its addresses. */
    private static Map<String, Attribute> link(NetDevice device) {
        return Map.of(
                "carrier", Attribute.readOnly(() -> carrier(device)),
                "dormant", Attribute.readOnly(() -> device.linkState().isDormant() ? "1" : "0"),
                "operstate", Attribute.readOnly(() -> operState(device)),
                "link_mode", number(() -> device.linkState().linkMode().ordinal()),
                "type", number(() -> device.linkType().code()),
                "addr_assign_type", number(() -> device.link().assignment().code()),
                "addr_len", number(() -> device.linkType().addressBytes()),
                "address", Attribute.readOnly(() -> address(device, device.macAddress())),
                "broadcast",
                        Attribute.readOnly(() -> address(device, device.link().broadcast())));
    }

    private static Map<String, Attribute> statistics(NetDevice device) {
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
            throw new RdmaException(Errno.EINVAL, device.name() + " is down: nobody knows about its carrier");
        }
        return device.isCarrierOk() ? "1" : "0";
    }

    private static String operState(NetDevice device) {
        return device.linkState().operState().name().replace("_", "").toLowerCase(Locale.ROOT);
    }

    private static String address(NetDevice device, long mac) {
        return device.linkType() == LinkType.ETHERNET ? MacAddress.toString(mac) : "";
    }

    private static int iflink(NetDevice device) {
        NetDevice lower = device.stack().lower();
        return lower == null ? device.ifindex() : lower.ifindex();
    }

    /** What {@code udevadm info} prints. */
    private static String uevent(NetDevice device) {
        String type = device.node().type();
        return (type.isEmpty() ? "" : "DEVTYPE=" + type + "\n") + "INTERFACE=" + device.name() + "\nIFINDEX="
                + device.ifindex();
    }

    private static Attribute counter(NetDevice device, ToLongFunction<LinkStats64> of) {
        return Attribute.readOnly(() -> Long.toString(of.applyAsLong(LinkStats64.of(device))));
    }

    private static Attribute number(IntSupplier value) {
        return Attribute.readOnly(() -> Integer.toString(value.getAsInt()));
    }

    private static Attribute number(IntSupplier value, IntConsumer change) {
        return new Attribute(() -> Integer.toString(value.getAsInt()), text -> change.accept(parse(text)));
    }

    private static int parse(String text) {
        try {
            return Integer.decode(text.strip());
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is no number");
        }
    }
}
