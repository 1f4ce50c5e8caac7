package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a device is made with.
 *
 * @param link what its packets begin with
 * @param name as tools show it, see {@link #isValidName}; {@code %d} in it stands for the first number that is free
 * @param ifindex unique number in its namespace, from 1; 0 leaves it to the namespace
 * @param mtu largest IP packet in bytes, header included, at least 68; also the most {@link NetDevice#setMtu} takes
 * @param macAddress 48 bits; 0: an IP device has none, an Ethernet device draws one by lot
 * @param addresses IP addresses of the interface; IPv4 mapped into IPv6
 * @param features what the driver does to begin with; all of it may be changed unless the driver says otherwise
 * @param flags what the device is, and what its users start from
 * @param privateFlags what its driver is
 * @param allocation what is made along with it: queues, and what the driver keeps for it
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
    /** {@code IFNAMSIZ} less the terminating zero. */
    static final int MAX_NAME_LENGTH = 15;

    /** RFC 791: every link carries 68 bytes. */
    public static final int MIN_MTU = 68;

    /**
     * Checks the numbers, and copies the collections.
     *
     * @throws RdmaException EINVAL if the name, the index or the MTU is out of bounds
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
     * A device with the flags of its kind of link, see {@link LinkType#flags} and {@link LinkType#privateFlags}.
     *
     * @param link kind of link
     * @param name or a pattern, as {@code eth%d}
     * @param ifindex its number; 0 for the next that is free
     * @param mtu largest IP packet, bytes
     * @param macAddress 48 bits
     * @param addresses its IP addresses
     * @param features what the device does, and cannot leave
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
     * An IP device.
     *
     * @param name or a pattern, as {@code eth%d}
     * @param ifindex its number; 0 for the next that is free
     * @param mtu largest IP packet, bytes
     * @param macAddress 48 bits
     * @param addresses its IP addresses
     * @param features what the device does, and cannot leave
     */
    public NetDeviceSetup(
            String name, int ifindex, int mtu, long macAddress, List<Gid> addresses, Set<NetDeviceFeature> features) {
        this(LinkType.IP, name, ifindex, mtu, macAddress, addresses, features);
    }

    /**
     * {@return the same with these flags in place of those that it has}
     *
     * @param set all of them
     */
    public NetDeviceSetup withFlags(DeviceFlag... set) {
        return new NetDeviceSetup(
                link, name, ifindex, mtu, macAddress, addresses, features, Set.of(set), privateFlags, allocation);
    }

    /**
     * {@return the same with these flags as well}
     *
     * @param more in addition to those there are
     */
    public NetDeviceSetup withPrivateFlags(PrivateFlag... more) {
        EnumSet<PrivateFlag> all = EnumSet.noneOf(PrivateFlag.class);
        all.addAll(privateFlags);
        all.addAll(List.of(more));
        return new NetDeviceSetup(link, name, ifindex, mtu, macAddress, addresses, features, flags, all, allocation);
    }

    /**
     * {@return an Ethernet device as Ethernet devices are ({@code ether_setup}): MTU 1500, an address drawn by lot,
     * 1000 packets may wait in each queue} Its link says the rest: header of 14 bytes, addresses of 6, broadcast
     * address of ones.
     *
     * @param name or a pattern, as {@code eth%d}
     */
    public static NetDeviceSetup ethernet(String name) {
        return new NetDeviceSetup(LinkType.ETHERNET, name, 0, EthernetDevices.MAX_MTU, 0, List.of(), Set.of())
                .withQueueLength(TransmitQueues.ETHERNET_LENGTH);
    }

    /**
     * {@return the same with so many queues ({@code alloc_netdev_mqs}); 0 leaves either to the driver}
     *
     * @param tx transmit queues, 0..65535
     * @param rx receive queues, 0..65535
     */
    public NetDeviceSetup withQueues(int tx, int rx) {
        return with(new DeviceAllocation(tx, rx, allocation.queueLength(), allocation.priv()));
    }

    /**
     * {@return the same with room for so many packets in each transmit queue ({@code tx_queue_len}); 0: none waits}
     *
     * @param packets at least 0
     */
    public NetDeviceSetup withQueueLength(int packets) {
        return with(new DeviceAllocation(allocation.txQueues(), allocation.rxQueues(), packets, allocation.priv()));
    }

    /**
     * {@return the same with what the driver keeps for this device, see {@link DeviceAllocation#priv(Class)}}
     *
     * @param priv the driver's own
     */
    public NetDeviceSetup withPrivate(Object priv) {
        return with(new DeviceAllocation(allocation.txQueues(), allocation.rxQueues(), allocation.queueLength(), priv));
    }

    private NetDeviceSetup with(DeviceAllocation other) {
        return new NetDeviceSetup(
                link, name, ifindex, mtu, macAddress, addresses, features, flags, privateFlags, other);
    }

    /**
     * {@return true if an interface may be called so ({@code dev_valid_name})}
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
