package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.PacketType;
import java.security.SecureRandom;

/**
 * Which link addresses a device has and receives: its own, lists of others, and the modes that let all pass
 * ({@code dev_addr}, {@code uc}, {@code mc}, {@code promiscuity}, {@code allmulti}).
 *
 * <p>This is the filter that a network adapter has in hardware. Any thread may call; {@link #accepts} and
 * {@link #typeOf}, by the loop for every frame, take no lock.
 */
public final class LinkAddresses {
    private final long permanent;
    private volatile long own;
    private volatile AddressAssignment assignment;
    private volatile AddressList unicast = AddressList.EMPTY;
    private volatile AddressList multicast = AddressList.EMPTY;
    private volatile int promiscuity;
    private volatile int allMulticast;
    private Runnable listener = () -> {};

    LinkAddresses(long own, AddressAssignment assignment) {
        this.own = own;
        this.assignment = assignment;
        this.permanent = assignment == AddressAssignment.PERMANENT ? own : 0;
    }

    /** Those that a device starts with: an Ethernet device that was given none draws one by lot. */
    static LinkAddresses of(NetDeviceSetup setup) {
        boolean draws = setup.link() == LinkType.ETHERNET && setup.macAddress() == 0;
        return draws
                ? new LinkAddresses(MacAddress.random(new SecureRandom()), AddressAssignment.RANDOM)
                : new LinkAddresses(setup.macAddress(), AddressAssignment.PERMANENT);
    }

    /** Installs who is told when the lists or the modes change, under the monitor. */
    synchronized void listener(Runnable told) {
        listener = told;
    }

    /** The lists or the modes have changed. */
    synchronized void changed() {
        listener.run();
    }

    /** {@return the device's own address, 48 bits ({@code dev_addr}); 0 if it has none} */
    public long own() {
        return own;
    }

    /** {@return the address it was made with ({@code perm_addr}); 0 if that was drawn by lot} */
    public long permanent() {
        return permanent;
    }

    /** {@return where its own address is from} */
    public AddressAssignment assignment() {
        return assignment;
    }

    /** {@return the address of all stations of the link} */
    public long broadcast() {
        return MacAddress.BROADCAST;
    }

    void own(long mac) {
        own = mac;
        assignment = AddressAssignment.SET;
    }

    /**
     * {@return whom a frame to {@code destination} is for; any frame, whether it is accepted or not}
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

    /** True if the device takes in a frame of this destination and type. */
    boolean accepts(long destination, PacketType type) {
        return switch (type) {
            case HOST, BROADCAST -> true;
            case MULTICAST -> isAllMulticast() || isPromiscuous() || multicast.contains(destination);
            case OTHERHOST -> isPromiscuous();
        };
    }

    /**
     * Receives frames to one more address of a single station ({@code dev_uc_add}); removed as often as added.
     *
     * @param mac 48 bits
     * @throws RdmaException EINVAL for a group
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

    /** Empties the list ({@code dev_uc_flush}). */
    public synchronized void flushUnicast() {
        unicast = AddressList.EMPTY;
        changed();
    }

    /** True if there are such addresses ({@code !netdev_uc_empty}). */
    boolean hasUnicast() {
        return !unicast.isEmpty();
    }

    /** {@return the additional addresses of single stations, a copy} */
    public long[] unicast() {
        return unicast.toArray();
    }

    /**
     * Receives frames to a group of stations ({@code dev_mc_add}); removed as often as added.
     *
     * @param mac 48 bits
     * @throws RdmaException EINVAL for a single station
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
     * @throws RdmaException ENOENT if the group is not in the list
     */
    public synchronized void removeMulticast(long mac) {
        multicast = remove(multicast, mac);
        changed();
    }

    /** Empties the list ({@code dev_mc_flush}). */
    public synchronized void flushMulticast() {
        multicast = AddressList.EMPTY;
        changed();
    }

    /** {@return the groups, a copy} */
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
     * Counts listeners to all frames, whomever they are for ({@code dev_set_promiscuity}).
     *
     * @param increment how many come, negative: go
     * @throws RdmaException EOVERFLOW if the count leaves 0..2^31-1; it stays as it was
     */
    public synchronized void setPromiscuity(int increment) {
        boolean before = isPromiscuous();
        promiscuity = count("promiscuity", promiscuity, increment);
        if (before != isPromiscuous()) {
            changed();
        }
    }

    /** {@return true while somebody listens to all frames ({@code IFF_PROMISC})} */
    public boolean isPromiscuous() {
        return promiscuity > 0;
    }

    /** {@return listeners to all frames} */
    public int promiscuity() {
        return promiscuity;
    }

    /**
     * Counts listeners to all groups ({@code dev_set_allmulti}).
     *
     * @param increment how many come, negative: go
     * @throws RdmaException EOVERFLOW if the count leaves 0..2^31-1; it stays as it was
     */
    public synchronized void setAllMulticast(int increment) {
        boolean before = isAllMulticast();
        allMulticast = count("allmulti", allMulticast, increment);
        if (before != isAllMulticast()) {
            changed();
        }
    }

    /** {@return true while somebody listens to all groups ({@code IFF_ALLMULTI})} */
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
