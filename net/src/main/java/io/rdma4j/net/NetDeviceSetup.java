// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.transmit.TransmitQueues;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Properties of a new device.
 *
 * @param link link type
 * @param name name or pattern, see {@link #isValidName}; {@code %d} is replaced by the first free number
 * @param ifindex interface index, unique in its namespace, from 1; 0 lets the namespace choose
 * @param mtu maximum size of an IP packet in bytes, header included, at least 68; also the maximum for
 *     {@link NetDevice#setMtu}
 * @param macAddress 48 bits; 0: an IP device has none, an Ethernet device gets a random one
 * @param addresses IP addresses of the interface; IPv4 mapped into IPv6
 * @param features initial features; all of them are changeable unless the driver limits that
 * @param flags initial public flags
 * @param privateFlags initial private flags
 * @param allocation queues and private data of the driver
 */
public record NetDeviceSetup(
        LinkType link,
        String name,
        int ifindex,
        int mtu,
        long macAddress,
        List<Gid> addresses,
        FeatureSet features,
        Set<DeviceFlag> flags,
        Set<PrivateFlag> privateFlags,
        DeviceAllocation allocation) {
    /** {@code IFNAMSIZ} without the terminating zero. */
    static final int MAX_NAME_LENGTH = 15;

    /** RFC 791: every link carries 68 bytes. */
    public static final int MIN_MTU = 68;

    /**
     * Checks the numbers, and copies the collections.
     *
     * @throws RdmaException EINVAL if the name, the index or the MTU is out of range
     */
    public NetDeviceSetup {
        if (!isValidName(name)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "\"" + name + "\" is no interface name: 1 to " + MAX_NAME_LENGTH
                            + " characters without '/', ':' and spaces, and neither \".\" nor \"..\"");
        }
        if (ifindex < 0) {
            throw new RdmaException(Errno.EINVAL, "ifindex " + ifindex + " is less than 0");
        }
        if (mtu < MIN_MTU) {
            throw new RdmaException(Errno.EINVAL, "MTU " + mtu + " is less than " + MIN_MTU);
        }
        addresses = List.copyOf(addresses);
        flags = Set.copyOf(flags);
        privateFlags = Set.copyOf(privateFlags);
    }

    /**
     * Creates the setup of a device with the flags of its link type, see {@link LinkType#flags} and
     * {@link LinkType#privateFlags}.
     *
     * @param link link type
     * @param name name, or a pattern such as {@code eth%d}
     * @param ifindex interface index; 0 for the next free one
     * @param mtu maximum size of an IP packet, bytes
     * @param macAddress 48 bits
     * @param addresses IP addresses of the interface
     * @param features initial features
     */
    public NetDeviceSetup(
            LinkType link,
            String name,
            int ifindex,
            int mtu,
            long macAddress,
            List<Gid> addresses,
            Set<NetDeviceFeature> features) {
        this(
                link,
                name,
                ifindex,
                mtu,
                macAddress,
                addresses,
                FeatureSet.copyOf(features),
                link.flags(),
                link.privateFlags(),
                DeviceAllocation.DRIVERS);
    }

    /**
     * Creates the setup of an IP device.
     *
     * @param name name, or a pattern such as {@code eth%d}
     * @param ifindex interface index; 0 for the next free one
     * @param mtu maximum size of an IP packet, bytes
     * @param macAddress 48 bits
     * @param addresses IP addresses of the interface
     * @param features initial features
     */
    public NetDeviceSetup(
            String name, int ifindex, int mtu, long macAddress, List<Gid> addresses, Set<NetDeviceFeature> features) {
        this(LinkType.IP, name, ifindex, mtu, macAddress, addresses, features);
    }

    /**
     * {@return a copy with these flags instead of the present ones}
     *
     * @param set all flags
     */
    public NetDeviceSetup withFlags(DeviceFlag... set) {
        return new NetDeviceSetup(
                link, name, ifindex, mtu, macAddress, addresses, features, Set.of(set), privateFlags, allocation);
    }

    /**
     * {@return a copy with additional private flags}
     *
     * @param more the additional flags
     */
    public NetDeviceSetup withPrivateFlags(PrivateFlag... more) {
        EnumSet<PrivateFlag> all = EnumSet.noneOf(PrivateFlag.class);
        all.addAll(privateFlags);
        all.addAll(List.of(more));
        return new NetDeviceSetup(link, name, ifindex, mtu, macAddress, addresses, features, flags, all, allocation);
    }

    /**
     * {@return the setup of an Ethernet device with default values ({@code ether_setup}): MTU 1500, a random address,
     * queues of 1000 packets} The link type determines the rest: a header of 14 bytes, addresses of 6 bytes, the
     * broadcast address.
     *
     * @param name name, or a pattern such as {@code eth%d}
     */
    public static NetDeviceSetup ethernet(String name) {
        return new NetDeviceSetup(LinkType.ETHERNET, name, 0, EthernetDevices.MAX_MTU, 0, List.of(), Set.of())
                .withQueueLength(TransmitQueues.ETHERNET_LENGTH);
    }

    /**
     * {@return a copy with other numbers of queues ({@code alloc_netdev_mqs}); 0 for the driver's default}
     *
     * @param tx transmit queues, 0..65535
     * @param rx receive queues, 0..65535
     */
    public NetDeviceSetup withQueues(int tx, int rx) {
        return with(new DeviceAllocation(tx, rx, allocation.queueLength(), allocation.priv()));
    }

    /**
     * {@return a copy with another length of each transmit queue ({@code tx_queue_len}); with 0 no packet waits}
     *
     * @param packets at least 0
     */
    public NetDeviceSetup withQueueLength(int packets) {
        return with(new DeviceAllocation(allocation.txQueues(), allocation.rxQueues(), packets, allocation.priv()));
    }

    /**
     * {@return a copy with private data of the driver, see {@link DeviceAllocation#priv(Class)}}
     *
     * @param priv the driver's data
     */
    public NetDeviceSetup withPrivate(Object priv) {
        return with(new DeviceAllocation(allocation.txQueues(), allocation.rxQueues(), allocation.queueLength(), priv));
    }

    private NetDeviceSetup with(DeviceAllocation other) {
        return new NetDeviceSetup(
                link, name, ifindex, mtu, macAddress, addresses, features, flags, privateFlags, other);
    }

    /**
     * {@return true if the text is a valid interface name ({@code dev_valid_name})}
     *
     * @param name any text
     */
    public static boolean isValidName(String name) {
        return !name.isEmpty()
                && name.length() <= MAX_NAME_LENGTH
                && !name.equals(".")
                && !name.equals("..")
                && name.chars().noneMatch(c -> c == '/' || c == ':' || Character.isWhitespace(c));
    }
}
