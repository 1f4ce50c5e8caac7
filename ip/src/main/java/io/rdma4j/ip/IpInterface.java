// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.ip.neighbour.ArpHandler;
import io.rdma4j.ip.neighbour.ControlPackets;
import io.rdma4j.ip.neighbour.Neighbour;
import io.rdma4j.ip.neighbour.NeighbourDiscovery;
import io.rdma4j.ip.neighbour.NeighbourSettings;
import io.rdma4j.ip.neighbour.NeighbourTable;
import io.rdma4j.ip.neighbour.OwnAddresses;
import io.rdma4j.ip.neighbour.StackChanges;
import io.rdma4j.ip.route.RouteTable;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.skb.EtherType;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * IP on one device ({@code struct in_device}, {@code struct inet6_dev}). On a link with addresses it resolves them by
 * ARP and neighbour discovery, and keeps {@link #neighbours} up to date. On a device that carries plain IP packets, no
 * resolution is needed.
 *
 * <p>Belongs to the owner of the device's loop, which calls {@link NeighbourTable#onTimeout} at its deadline, and
 * {@link NeighbourTable#flush} before it sends.
 */
public final class IpInterface {
    private final NetDevice device;
    private final ControlPackets packets;
    private final NeighbourTable neighbours;
    private final ArpHandler arp;
    private final NeighbourDiscovery discovery;
    private final OwnAddresses own;
    private final MulticastMembership groups;
    private @Nullable NetDeviceListener listener;
    private long[] linkGroups = {};

    /**
     * @param clock of the loop; it may be constant during a run of the loop
     * @param changes noted when {@link #nextDeadlineNs} is earlier than before, or packets wait for the device
     */
    IpInterface(NetDevice device, NeighbourSettings settings, NanoClock clock, StackChanges changes) {
        this.device = device;
        this.packets = new ControlPackets(device);
        this.neighbours = new NeighbourTable(device, settings, clock, this::solicit, changes);
        this.own = new OwnAddresses(device);
        this.arp = new ArpHandler(device, own, packets, neighbours);
        this.discovery = new NeighbourDiscovery(device, own, packets, neighbours);
        this.groups = new MulticastMembership(device, new GroupMessages(device, own, packets), clock, changes);
    }

    /** Registers the protocol handlers: from now on, the device receives IP packets and resolves addresses. */
    void start(IpInput input, RouteTable routes) {
        device.protocols().addHandler(EtherType.IPV4, skb -> input.receive(skb, this));
        device.protocols().addHandler(EtherType.IPV6, skb -> input.receive(skb, this));
        if (hasLinkAddresses()) {
            device.protocols().addHandler(EtherType.ARP, arp);
            joinGroups();
        }
        listener = (_, event) -> onEvent(event, routes);
        device.addListener(listener);
    }

    /** {@return the device of this interface} */
    public NetDevice device() {
        return device;
    }

    boolean isLoopback() {
        return device.flags().has(DeviceFlag.LOOPBACK);
    }

    private boolean hasLinkAddresses() {
        return device.linkType().hasAddresses();
    }

    NeighbourDiscovery discovery() {
        return discovery;
    }

    /** True if an address, given by its halves, belongs to the device. */
    boolean isOwn(long prefix, long interfaceId) {
        return own.contains(prefix, interfaceId);
    }

    /** Group memberships of the device. */
    MulticastMembership groups() {
        return groups;
    }

    /**
     * Joins a multicast group on this link ({@code ip_mc_join_group}). Each call needs one {@link #leave}.
     *
     * @param group a multicast address
     */
    public void join(Gid group) {
        groups.join(group);
    }

    /**
     * Undoes one {@link #join} ({@code ip_mc_leave_group}).
     *
     * @param group a multicast address
     * @throws io.rdma4j.base.RdmaException ENOENT if the group is not joined
     */
    public void leave(Gid group) {
        groups.leave(group);
    }

    long nextDeadlineNs() {
        return Deadline.earlier(neighbours.nextDeadlineNs(), groups.nextDeadlineNs());
    }

    void onTimeout(long nowNs) {
        neighbours.onTimeout(nowNs);
        groups.onTimeout(nowNs);
    }

    private void solicit(Neighbour neighbour) {
        if (neighbour.address().isIpv4()) {
            arp.solicit(neighbour);
        } else {
            discovery.solicit(neighbour);
        }
    }

    private void onEvent(NetDeviceEvent event, RouteTable routes) {
        groups.refresh();
        switch (event) {
            case UP -> routes.connect(device);
            case DOWN -> {
                neighbours.invalidate();
                routes.connect(device);
            }
            case MAC_CHANGE -> neighbours.invalidate();
            case CARRIER_CHANGE -> {
                if (!device.isCarrierOk()) {
                    neighbours.invalidate();
                }
            }
            case ADDRESS_CHANGE -> {
                routes.connect(device);
                joinGroups();
            }
            default -> {}
        }
    }

    /** Receives the link groups of all stations, and the solicited-node groups of the device's IPv6 addresses. */
    private synchronized void joinGroups() {
        if (!hasLinkAddresses()) {
            return;
        }
        for (long group : linkGroups) {
            device.link().removeMulticast(group);
        }
        linkGroups = device.addresses().stream()
                .flatMapToLong(this::groupsOf)
                .distinct()
                .toArray();
        for (long group : linkGroups) {
            device.link().addMulticast(group);
        }
    }

    private LongStream groupsOf(Gid address) {
        if (address.isIpv4()) {
            return LongStream.of(device.link().format().ofGroup(MulticastMembership.ALL_HOSTS));
        }
        return LongStream.of(
                device.link().format().ofGroup(NeighbourDiscovery.ALL_NODES),
                device.link().format().ofGroup(NeighbourDiscovery.solicitedNode(address)));
    }

    /** {@return the neighbours on the link, by IP address} */
    public NeighbourTable neighbours() {
        return neighbours;
    }

    /** {@return number of malformed ARP packets and neighbour discovery messages that were dropped} */
    public long malformed() {
        return arp.malformed() + discovery.malformed();
    }

    /** {@return number of ICMPv6 messages of unknown types} */
    public long unknown() {
        return discovery.unknown();
    }

    /** {@return number of ARP, neighbour discovery, IGMP and MLD packets that could not be sent} */
    public long lost() {
        return packets.lost();
    }

    /** Removes the protocol handlers, and drops packets that wait for neighbours. */
    void close() {
        device.protocols().removeHandler(EtherType.IPV4);
        device.protocols().removeHandler(EtherType.IPV6);
        device.protocols().removeHandler(EtherType.ARP);
        NetDeviceListener last = listener;
        if (last != null) {
            device.removeListener(last);
        }
        neighbours.dropWaiting(_ -> true);
        packets.close();
    }
}
