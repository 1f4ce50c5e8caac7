// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The devices of one namespace, in order ({@code dev_base_head}), by name ({@code dev_name_head}) and by index
 * ({@code dev_index_head}). Changes happen under the RTNL lock; any thread may read.
 */
final class DeviceTable {
    /** Number of values for {@code %d} in a name pattern, as in Linux. */
    private static final int PATTERN_NUMBERS = 32_768;

    private final List<NetDevice> list = new CopyOnWriteArrayList<>();
    private final Map<String, NetDevice> byName = new ConcurrentHashMap<>();
    private final Map<Integer, NetDevice> byIndex = new ConcurrentHashMap<>();
    private int lastIndex;

    /** Creates an empty table; the first index is the one after {@code lastIndex}. */
    DeviceTable(int lastIndex) {
        this.lastIndex = lastIndex;
    }

    /** {@code list_netdevice}. */
    void add(NetDevice device) {
        list.add(device);
        byName.put(device.name(), device);
        byIndex.put(device.ifindex(), device);
    }

    /** {@code unlist_netdevice}. */
    void remove(NetDevice device) {
        list.remove(device);
        byName.remove(device.name(), device);
        byIndex.remove(device.ifindex(), device);
    }

    /** Returns the devices in the order of their registration. Concurrent changes may or may not be included. */
    List<NetDevice> all() {
        return List.copyOf(list);
    }

    @Nullable
    NetDevice find(String name) {
        return byName.get(name);
    }

    @Nullable
    NetDevice find(int index) {
        return byIndex.get(index);
    }

    /** {@code dev_get_valid_name}, {@code dev_alloc_name}. */
    String chooseName(String nameOrPattern) {
        if (nameOrPattern.indexOf('%') >= 0) {
            return firstFree(nameOrPattern);
        }
        if (!NetDeviceSetup.isValidName(nameOrPattern)) {
            throw new RdmaException(Errno.EINVAL, "\"" + nameOrPattern + "\" is no interface name");
        }
        if (byName.containsKey(nameOrPattern)) {
            throw new RdmaException(Errno.EEXIST, "another device is called " + nameOrPattern);
        }
        return nameOrPattern;
    }

    private String firstFree(String pattern) {
        int place = pattern.indexOf("%d");
        if (place < 0 || pattern.indexOf('%') != place || pattern.indexOf('%', place + 1) >= 0) {
            throw new RdmaException(
                    Errno.EINVAL, "\"" + pattern + "\" is no pattern: %d, and no other %, stands for the number");
        }
        for (int i = 0; i < PATTERN_NUMBERS; i++) {
            String name = pattern.substring(0, place) + i + pattern.substring(place + 2);
            if (!byName.containsKey(name)) {
                return chooseName(name);
            }
        }
        throw new RdmaException(
                Errno.ENFILE, "all of the " + PATTERN_NUMBERS + " names of \"" + pattern + "\" are taken");
    }

    /** {@code dev_index_reserve}: 0 requests the next free index; 1 follows 2^31-1. */
    int chooseIndex(int wanted) {
        if (wanted == 0) {
            return nextIndex();
        }
        if (byIndex.containsKey(wanted)) {
            throw new RdmaException(Errno.EBUSY, "another device has ifindex " + wanted);
        }
        return wanted;
    }

    /** {@code dev_new_index}. */
    private int nextIndex() {
        do {
            lastIndex = lastIndex == Integer.MAX_VALUE ? 1 : lastIndex + 1;
        } while (byIndex.containsKey(lastIndex));
        return lastIndex;
    }
}
