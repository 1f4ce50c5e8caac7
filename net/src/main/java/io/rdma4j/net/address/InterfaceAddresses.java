// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.address;

import io.rdma4j.base.Gid;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.NetDeviceEvent;
import java.util.List;

/**
 * The IP addresses of a device ({@code in_device}, {@code inet6_dev}) and its multicast groups. IPv4 addresses are
 * mapped into IPv6.
 */
public final class InterfaceAddresses {
    private final DeviceCore core;
    private final AddressDriver driver;
    private final LinkAddresses link;
    private volatile List<InterfaceAddress> list;
    private volatile List<Gid> gids;

    /**
     * Creates the IP addresses of a device.
     *
     * @param core core of the device
     * @param driver driver of the device
     * @param link link addresses of the device
     * @param first initial addresses, without an on-link prefix
     */
    public InterfaceAddresses(DeviceCore core, AddressDriver driver, LinkAddresses link, List<Gid> first) {
        this.core = core;
        this.driver = driver;
        this.link = link;
        this.gids = first;
        this.list = withoutPrefixes(first);
    }

    private static List<InterfaceAddress> withoutPrefixes(List<Gid> addresses) {
        return addresses.stream().map(InterfaceAddress::of).toList();
    }

    /** {@return the addresses with their prefixes, unmodifiable} */
    public List<InterfaceAddress> list() {
        return list;
    }

    /** {@return the addresses without prefixes, unmodifiable, in the order of {@link #list}} */
    public List<Gid> gids() {
        return gids;
    }

    /**
     * Replaces all addresses by addresses without an on-link prefix.
     *
     * @param next all addresses, in the order of the GID table
     */
    public void setGids(List<Gid> next) {
        set(withoutPrefixes(next));
    }

    /**
     * Replaces all addresses ({@code ip addr add}, {@code ip addr del}).
     *
     * @param next all addresses, in the order of the GID table
     */
    public synchronized void set(List<InterfaceAddress> next) {
        List<InterfaceAddress> copy = List.copyOf(next);
        if (!copy.equals(list)) {
            list = copy;
            gids = copy.stream().map(InterfaceAddress::address).toList();
            core.tell(NetDeviceEvent.ADDRESS_CHANGE);
        }
    }

    /**
     * Joins a multicast group. The loop's owner calls it, once for each group.
     *
     * @param group a multicast address
     */
    public void join(Gid group) {
        driver.joinMulticast(group);
        link.addMulticast(link.format().ofGroup(group));
    }

    /**
     * Undoes {@link #join}.
     *
     * @param group a multicast address
     */
    public void leave(Gid group) {
        link.removeMulticast(link.format().ofGroup(group));
        driver.leaveMulticast(group);
    }
}
