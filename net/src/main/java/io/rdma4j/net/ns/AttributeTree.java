// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.AttributeGroup;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.net.NetDevice;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a namespace's devices by path, as on Linux below {@code /sys}: {@code /sys/class/net/eth0/mtu},
 * {@code /sys/class/net/eth0/statistics/rx_packets}. The same attributes are below the path of the device's node,
 * {@code /sys/devices/virtual/net/eth0/mtu}. Values are text without an end of line. Any thread may call it.
 */
public final class AttributeTree {
    private static final String CLASS = "/sys/class/net";

    private final NetNamespace namespace;

    AttributeTree(NetNamespace namespace) {
        this.namespace = namespace;
    }

    /**
     * Reads a value.
     *
     * @param path absolute, such as {@code /sys/class/net/eth0/mtu}
     * @return the value, without an end of line
     * @throws RdmaException ENOENT if there is no such path, EINVAL if the value is not available now
     */
    public String read(String path) {
        return find(path).show().get();
    }

    /**
     * Writes a value. The device may reject it.
     *
     * @param path absolute, such as {@code /sys/class/net/eth0/mtu}
     * @param value with or without an end of line
     * @throws RdmaException ENOENT if there is no such path, EACCES if it is read-only, EINVAL for an invalid value
     */
    public void write(String path, String value) {
        find(path).store().accept(value.strip());
    }

    /**
     * {@return the names in a directory, sorted: devices in {@code /sys/class/net}, attributes and directories in a
     * device's}
     *
     * @param path absolute, such as {@code /sys/class/net/eth0}
     * @throws RdmaException ENOENT if there is no such directory
     */
    public SortedSet<String> list(String path) {
        SortedSet<String> names = new TreeSet<>();
        if (path.equals(CLASS)) {
            namespace.devices().forEach(device -> names.add(device.name()));
            return names;
        }
        Place place = place(path);
        if (place == null) {
            throw nothing(path);
        }
        for (AttributeGroup group : NetDeviceAttributes.of(place.device)) {
            if (group.name().equals(place.rest)) {
                names.addAll(group.attributes().keySet());
            } else if (place.rest.isEmpty() || group.name().startsWith(place.rest + "/")) {
                names.add(firstOf(group.name().substring(place.rest.isEmpty() ? 0 : place.rest.length() + 1)));
            }
        }
        if (names.isEmpty()) {
            throw nothing(path);
        }
        return names;
    }

    /**
     * {@return all attributes of a device, sorted by their path below the device, such as
     * {@code statistics/rx_packets}; a copy}
     *
     * @param device of any namespace
     */
    public SortedMap<String, DeviceAttribute> of(NetDevice device) {
        SortedMap<String, DeviceAttribute> all = new TreeMap<>();
        for (AttributeGroup group : NetDeviceAttributes.of(device)) {
            String folder = group.name().isEmpty() ? "" : group.name() + "/";
            group.attributes().forEach((name, attribute) -> all.put(folder + name, attribute));
        }
        return all;
    }

    private static String firstOf(String path) {
        int slash = path.indexOf('/');
        return slash < 0 ? path : path.substring(0, slash);
    }

    private DeviceAttribute find(String path) {
        Place place = place(path);
        if (place == null) {
            throw nothing(path);
        }
        int slash = place.rest.lastIndexOf('/');
        String folder = slash < 0 ? "" : place.rest.substring(0, slash);
        String name = place.rest.substring(slash + 1);
        for (AttributeGroup group : NetDeviceAttributes.of(place.device)) {
            DeviceAttribute attribute =
                    group.name().equals(folder) ? group.attributes().get(name) : null;
            if (attribute != null) {
                return attribute;
            }
        }
        throw nothing(path);
    }

    /** A device and the rest of a path below it, without a leading slash. */
    private record Place(NetDevice device, String rest) {}

    private @Nullable Place place(String path) {
        for (NetDevice device : namespace.devices()) {
            for (String base :
                    List.of(CLASS + "/" + device.name(), device.node().path())) {
                if (path.equals(base)) {
                    return new Place(device, "");
                }
                if (path.startsWith(base + "/")) {
                    return new Place(device, path.substring(base.length() + 1));
                }
            }
        }
        return null;
    }

    private static RdmaException nothing(String path) {
        return new RdmaException(Errno.ENOENT, "there is no " + path);
    }
}
