package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a device is in the tree of all devices of a host ({@code struct device}): what it hangs from, what type and kind it is
 * of, what users call it and group it by, and the attributes that it shows. Any thread may call.
 */
public final class DeviceNode {
    /** Bytes that an alias has room for, its end included ({@code IFALIASZ}). */
    public static final int ALIAS_BYTES = 256;

    /** The group of a device that nobody grouped ({@code INIT_NETDEV_GROUP}). */
    public static final int INITIAL_GROUP = 0;

    /** Attribute groups of a device: three of the driver's and one of the core's, as in {@code sysfs_groups}. */
    private static final int GROUPS = 4;

    private final NetDevice device;
    private final AttributeGroup[] groups = new AttributeGroup[GROUPS];
    private volatile @Nullable String parent;
    private volatile String type = "";
    private volatile String kind = "";
    private volatile LinkCreation creation = LinkCreation.INITIALIZED;
    private volatile String alias = "";
    private volatile int group = INITIAL_GROUP;

    DeviceNode(NetDevice device) {
        this.device = device;
        Arrays.fill(groups, AttributeGroup.NONE);
    }

    /** {@return the device whose node this is ({@code to_net_dev})} */
    public NetDevice netDevice() {
        return device;
    }

    /** {@return path of what it hangs from, null for a virtual device} */
    public @Nullable String parent() {
        return parent;
    }

    /**
     * Hangs the device from something ({@code SET_NETDEV_DEV}), such as {@code pci0000:00/0000:00:03.0}.
     *
     * @param path below {@code /sys/devices}
     * @throws RdmaException EBUSY after registration
     */
    public void parent(String path) {
        checkUnregistered("its parent");
        parent = path;
    }

    /** {@return where it is in the tree: below its parent, or among virtual devices} */
    public String path() {
        String above = parent;
        return "/sys/devices/" + (above == null ? "virtual" : above) + "/net/" + device.name();
    }

    /** {@return name of its type, such as {@code bridge} ({@code DEVTYPE}); empty if it has none} */
    public String type() {
        return type;
    }

    /**
     * Names the type ({@code SET_NETDEV_DEVTYPE}).
     *
     * @param name such as {@code wlan}
     * @throws RdmaException EBUSY after registration
     */
    public void type(String name) {
        checkUnregistered("its type");
        type = name;
    }

    private void checkUnregistered(String what) {
        if (device.registration().state() != RegistrationState.UNINITIALIZED) {
            throw new RdmaException(Errno.EBUSY, device.name() + ": " + what + " is set before it is registered");
        }
    }

    /** {@return what kind of software link it is, empty if none ({@code rtnl_link_ops})} */
    public String kind() {
        return kind;
    }

    /**
     * For who makes links: the kind.
     *
     * @param name of the kind, such as {@code vlan}
     */
    public void kind(String name) {
        kind = name;
    }

    /** {@return how far it is made ({@code rtnl_link_state})} */
    public LinkCreation creation() {
        return creation;
    }

    /**
     * For who makes links: how far it is made.
     *
     * @param phase how far
     */
    public void creation(LinkCreation phase) {
        creation = phase;
    }

    /** {@return what an administrator notes of it ({@code ifalias}); empty if nothing} */
    public String alias() {
        return alias;
    }

    /**
     * Changes that ({@code dev_set_alias}).
     *
     * @param text any; empty for none
     * @throws RdmaException EINVAL if it takes more than 255 bytes of UTF-8: with its end it would exceed {@link #ALIAS_BYTES}
     */
    public void alias(String text) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes >= ALIAS_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL,
                    device.name() + ": an alias of " + bytes + " bytes is more than " + (ALIAS_BYTES - 1));
        }
        alias = text;
    }

    /** {@return number of a group, which users filter by ({@code netdev_group})} */
    public int group() {
        return group;
    }

    /**
     * Changes that ({@code dev_set_group}).
     *
     * @param number 0 for the default one
     */
    public void group(int number) {
        group = number;
    }

    /** {@return the groups of attributes that the driver shows besides those that all devices have, at most four} */
    public List<AttributeGroup> groups() {
        return Arrays.stream(groups).filter(one -> !one.attributes().isEmpty()).toList();
    }

    /**
     * Adds a group of attributes ({@code sysfs_groups}).
     *
     * @param attributes shown and changed from now on
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
        throw new RdmaException(Errno.ENOSPC, device.name() + " has " + GROUPS + " groups of attributes, which is all");
    }
}
