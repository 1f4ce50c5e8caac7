// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.RegistrationState;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The node of a device in the host's device tree ({@code struct device}): parent, type, kind, alias, group and
 * attributes. Any thread may call it.
 */
public final class DeviceNode {
    /** Maximum length of an alias, bytes of UTF-8 with its end ({@code IFALIASZ}). */
    public static final int ALIAS_BYTES = 256;

    /** Default group of a device ({@code INIT_NETDEV_GROUP}). */
    public static final int INITIAL_GROUP = 0;

    /** Attribute groups of a device: three for the driver and one for the core, as in {@code sysfs_groups}. */
    private static final int GROUPS = 4;

    private final NetDevice device;
    private final DeviceCore core;
    private final AttributeGroup[] groups = new AttributeGroup[GROUPS];
    private volatile @Nullable String parent;
    private volatile String type = "";
    private volatile String kind = "";
    private volatile LinkCreation creation = LinkCreation.INITIALIZED;
    private volatile String alias = "";
    private volatile int group = INITIAL_GROUP;

    DeviceNode(NetDevice device, DeviceCore core) {
        this.device = device;
        this.core = core;
        Arrays.fill(groups, AttributeGroup.NONE);
    }

    /** {@return the device of this node ({@code to_net_dev})} */
    public NetDevice netDevice() {
        return device;
    }

    /** {@return path of the parent device, null for a virtual device} */
    public @Nullable String parent() {
        return parent;
    }

    /**
     * Sets the parent ({@code SET_NETDEV_DEV}), such as {@code pci0000:00/0000:00:03.0}.
     *
     * @param path path below {@code /sys/devices}
     * @throws RdmaException EBUSY after registration
     */
    public void parent(String path) {
        checkUnregistered("its parent");
        parent = path;
    }

    /** {@return path of the device: below its parent, or below {@code /sys/devices/virtual}} */
    public String path() {
        String above = parent;
        return "/sys/devices/" + (above == null ? "virtual" : above) + "/net/" + core.name();
    }

    /** {@return name of the device's type, such as {@code bridge} ({@code DEVTYPE}); empty if it has none} */
    public String type() {
        return type;
    }

    /**
     * Sets the name of the type ({@code SET_NETDEV_DEVTYPE}).
     *
     * @param name such as {@code wlan}
     * @throws RdmaException EBUSY after registration
     */
    public void type(String name) {
        checkUnregistered("its type");
        type = name;
    }

    private void checkUnregistered(String what) {
        if (core.registration() != RegistrationState.UNINITIALIZED) {
            throw new RdmaException(Errno.EBUSY, core.name() + ": " + what + " is set before it is registered");
        }
    }

    /** {@return the link kind, empty for a device that is no software link ({@code rtnl_link_ops})} */
    public String kind() {
        return kind;
    }

    /**
     * Sets the link kind; called when a link is created.
     *
     * @param name name of the kind, such as {@code vlan}
     */
    public void kind(String name) {
        kind = name;
    }

    /** {@return the phase of the link's creation ({@code rtnl_link_state})} */
    public LinkCreation creation() {
        return creation;
    }

    /**
     * Sets the phase of the link's creation; called when a link is created.
     *
     * @param phase the phase
     */
    public void creation(LinkCreation phase) {
        creation = phase;
    }

    /** {@return the administrator's alias for the device ({@code ifalias}); empty if not set} */
    public String alias() {
        return alias;
    }

    /**
     * Sets the alias ({@code dev_set_alias}).
     *
     * @param text any text; empty for none
     * @throws RdmaException EINVAL for more than 255 bytes of UTF-8, because {@link #ALIAS_BYTES} includes the end
     */
    public void alias(String text) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes >= ALIAS_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL, core.name() + ": an alias of " + bytes + " bytes is more than " + (ALIAS_BYTES - 1));
        }
        alias = text;
    }

    /** {@return the group number, a criterion by which users select devices ({@code netdev_group})} */
    public int group() {
        return group;
    }

    /**
     * Sets the group ({@code dev_set_group}).
     *
     * @param number the group; 0 is the default
     */
    public void group(int number) {
        group = number;
    }

    /** {@return the driver's attribute groups, besides the attributes of all devices; at most four} */
    public List<AttributeGroup> groups() {
        return Arrays.stream(groups).filter(one -> !one.attributes().isEmpty()).toList();
    }

    /**
     * Adds an attribute group ({@code sysfs_groups}).
     *
     * @param attributes the group
     * @throws RdmaException EBUSY after registration, ENOSPC if there are four
     */
    public void addGroup(AttributeGroup attributes) {
        checkUnregistered("what it shows");
        for (int i = 0; i < GROUPS; i++) {
            if (groups[i].attributes().isEmpty()) {
                groups[i] = attributes;
                return;
            }
        }
        throw new RdmaException(Errno.ENOSPC, core.name() + " has " + GROUPS + " groups of attributes, which is all");
    }
}
