// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.address;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.packet.PacketType;
import java.security.SecureRandom;

/**
 * The link addresses that a device has and receives: its own, the unicast and multicast lists, and the modes that
 * accept all frames ({@code dev_addr}, {@code uc}, {@code mc}, {@code promiscuity}, {@code allmulti}).
 *
 * <p>This is the address filter that a network adapter has in hardware. Any thread may call it. The loop calls
 * {@link #accepts} and {@link #typeOf} for every frame; they take no lock.
 */
public final class LinkAddresses {
    private final DeviceCore core;
    private final AddressDriver driver;
    private final long permanent;
    private volatile LinkAddressFormat format = LinkAddressFormat.ETHERNET;
    private volatile long own;
    private volatile AddressAssignment assignment;
    private volatile AddressList unicast = AddressList.EMPTY;
    private volatile AddressList multicast = AddressList.EMPTY;
    private volatile int promiscuity;
    private volatile int allMulticast;

    /** True while the device is promiscuous because its link has no unicast filter ({@code uc_promisc}). */
    private boolean unicastPromiscuous;

    /**
     * Creates the link addresses of a device. An Ethernet device without an address gets a random one.
     *
     * @param core core of the device
     * @param driver driver of the device
     * @param mac 48 bits; 0 for none
     */
    public LinkAddresses(DeviceCore core, AddressDriver driver, long mac) {
        this.core = core;
        this.driver = driver;
        boolean draws = core.linkType() == LinkType.ETHERNET && mac == 0;
        this.own = draws ? MacAddress.random(new SecureRandom()) : mac;
        this.assignment = draws ? AddressAssignment.RANDOM : AddressAssignment.PERMANENT;
        this.permanent = mac;
    }

    /**
     * Notifies the driver of the lists and the modes ({@code dev_set_rx_mode}), if the device is up. If the link has no
     * unicast filter, the device is promiscuous while it has additional unicast addresses.
     */
    public synchronized void changed() {
        if (!core.state().isRunning()) {
            return;
        }
        boolean must = !unicast.isEmpty() && !core.has(PrivateFlag.UNICAST_FLT);
        if (must != unicastPromiscuous) {
            unicastPromiscuous = must;
            // This is itself a change and calls this method again.
            setPromiscuity(must ? 1 : -1);
            return;
        }
        driver.setRxMode();
    }

    /** {@return the device's own address, 48 bits ({@code dev_addr}); 0 if it has none} */
    public long own() {
        return own;
    }

    /** {@return the permanent address ({@code perm_addr}); 0 if it was random} */
    public long permanent() {
        return permanent;
    }

    /** {@return the source of its own address} */
    public AddressAssignment assignment() {
        return assignment;
    }

    /** {@return how addresses of the link are written} */
    public LinkAddressFormat format() {
        return format;
    }

    /**
     * Replaces the format of Ethernet. The driver of a link with other addresses calls it before the registration.
     *
     * @param other the driver's format
     */
    public void format(LinkAddressFormat other) {
        format = other;
    }

    /** {@return the broadcast address of the link} */
    public long broadcast() {
        return MacAddress.BROADCAST;
    }

    /**
     * Changes the device's own address ({@code dev_set_mac_address}).
     *
     * @param mac 48 bits
     * @throws RdmaException EOPNOTSUPP for an IP device, or the driver's error; then nothing has changed
     */
    public void own(long mac) {
        if (core.linkType() != LinkType.ETHERNET) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, core.name() + " is no Ethernet device: it has no address to change");
        }
        core.exclusively(() -> {
            driver.validateAddress(mac);
            driver.setMacAddress(mac);
            own = mac;
            assignment = AddressAssignment.SET;
            core.tell(NetDeviceEvent.MAC_CHANGE);
        });
    }

    /**
     * {@return the packet type of a frame to {@code destination}, whether the device accepts it or not}
     *
     * @param destination 48 bits
     */
    public PacketType typeOf(long destination) {
        if (destination == own || unicast.contains(destination)) {
            return PacketType.HOST;
        }
        if (!MacAddress.isMulticast(destination)) {
            return PacketType.OTHERHOST;
        }
        return MacAddress.isBroadcast(destination) ? PacketType.BROADCAST : PacketType.MULTICAST;
    }

    /**
     * {@return true if the device accepts a frame}
     *
     * @param destination destination of the frame, 48 bits
     * @param type type of the frame, see {@link #typeOf}
     */
    public boolean accepts(long destination, PacketType type) {
        return switch (type) {
            case HOST, BROADCAST -> true;
            case MULTICAST -> isAllMulticast() || isPromiscuous() || multicast.contains(destination);
            case OTHERHOST -> isPromiscuous();
        };
    }

    /**
     * Adds a unicast address whose frames the device receives ({@code dev_uc_add}). It stays until it is removed as
     * often as it was added.
     *
     * @param mac 48 bits
     * @throws RdmaException EINVAL for a multicast address
     */
    public synchronized void addUnicast(long mac) {
        if (MacAddress.isMulticast(mac)) {
            throw new RdmaException(Errno.EINVAL, MacAddress.toString(mac) + " is a group, not one station");
        }
        unicast = unicast.plus(mac);
        changed();
    }

    /**
     * Undoes one {@link #addUnicast} ({@code dev_uc_del}).
     *
     * @param mac 48 bits
     * @throws RdmaException ENOENT if the address is not in the list
     */
    public synchronized void removeUnicast(long mac) {
        unicast = remove(unicast, mac);
        changed();
    }

    /** Removes all unicast addresses ({@code dev_uc_flush}). */
    public synchronized void flushUnicast() {
        unicast = AddressList.EMPTY;
        changed();
    }

    /** {@return the additional unicast addresses, a copy} */
    public long[] unicast() {
        return unicast.toArray();
    }

    /**
     * Adds a multicast address whose frames the device receives ({@code dev_mc_add}). It stays until it is removed as
     * often as it was added.
     *
     * @param mac 48 bits
     * @throws RdmaException EINVAL for a unicast address
     */
    public synchronized void addMulticast(long mac) {
        if (!MacAddress.isMulticast(mac)) {
            throw new RdmaException(Errno.EINVAL, MacAddress.toString(mac) + " is one station, not a group");
        }
        multicast = multicast.plus(mac);
        changed();
    }

    /**
     * Undoes one {@link #addMulticast} ({@code dev_mc_del}).
     *
     * @param mac 48 bits
     * @throws RdmaException ENOENT if the address is not in the list
     */
    public synchronized void removeMulticast(long mac) {
        multicast = remove(multicast, mac);
        changed();
    }

    /** Removes all multicast addresses ({@code dev_mc_flush}). */
    public synchronized void flushMulticast() {
        multicast = AddressList.EMPTY;
        changed();
    }

    /** {@return the multicast addresses, a copy} */
    public long[] multicast() {
        return multicast.toArray();
    }

    private static AddressList remove(AddressList list, long mac) {
        if (!list.contains(mac)) {
            throw new RdmaException(Errno.ENOENT, MacAddress.toString(mac) + " is not in the list");
        }
        return list.minus(mac);
    }

    /**
     * Changes the number of users that need promiscuous mode ({@code dev_set_promiscuity}).
     *
     * @param increment number of new users; negative if users end
     * @throws RdmaException EOVERFLOW if the count would leave 0..2^31-1; then it is unchanged
     */
    public synchronized void setPromiscuity(int increment) {
        boolean before = isPromiscuous();
        promiscuity = count("promiscuity", promiscuity, increment);
        if (before != isPromiscuous()) {
            changed();
        }
    }

    /** {@return true if the device receives all frames ({@code IFF_PROMISC})} */
    public boolean isPromiscuous() {
        return promiscuity > 0;
    }

    /** {@return number of users that need promiscuous mode} */
    public int promiscuity() {
        return promiscuity;
    }

    /**
     * Changes the number of users that need all multicast frames ({@code dev_set_allmulti}).
     *
     * @param increment number of new users; negative if users end
     * @throws RdmaException EOVERFLOW if the count would leave 0..2^31-1; then it is unchanged
     */
    public synchronized void setAllMulticast(int increment) {
        boolean before = isAllMulticast();
        allMulticast = count("allmulti", allMulticast, increment);
        if (before != isAllMulticast()) {
            changed();
        }
    }

    /** {@return true if the device receives all multicast frames ({@code IFF_ALLMULTI})} */
    public boolean isAllMulticast() {
        return allMulticast > 0;
    }

    private static int count(String name, int value, int increment) {
        long sum = (long) value + increment;
        if (sum < 0 || sum > Integer.MAX_VALUE) {
            throw new RdmaException(
                    Errno.EOVERFLOW, name + " " + value + " cannot change by " + increment + ": it counts from 0");
        }
        return (int) sum;
    }
}
