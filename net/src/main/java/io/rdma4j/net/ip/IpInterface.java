package io.rdma4j.net.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.net.DeviceFlag;
import io.rdma4j.net.EtherType;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * IP on one device ({@code struct in_device}, {@code struct inet6_dev}): asks and answers who has an address, and keeps the
 * {@link #neighbours} up to date. On an IP device there is nothing to do.
 *
 * <p>Belongs to the owner of the device's loop, who calls {@link NeighbourTable#onTimeout} when its deadline has come, and
 * {@link NeighbourTable#flush} before it sends.
 */
public final class IpInterface {
    private final NetDevice device;
    private final ControlPackets packets;
    private final NeighbourTable neighbours;
    private final ArpHandler arp;
    private final NeighbourDiscovery discovery;
    private final OwnAddresses own;
    private final MulticastGroups groups;
    private @Nullable NetDeviceListener listener;
    private long[] linkGroups = {};

    /** @param clock the time of the loop: it need not go on while the owner is at work */
    IpInterface(NetDevice device, NeighbourSettings settings, NanoClock clock) {
        this.device = device;
        this.packets = new ControlPackets(device);
        this.neighbours = new NeighbourTable(device, settings, clock, this::solicit);
        this.own = new OwnAddresses(device);
        this.arp = new ArpHandler(device, own, packets, neighbours);
        this.discovery = new NeighbourDiscovery(device, own, packets, neighbours);
        this.groups = new MulticastGroups(device, new GroupMessages(device, own, packets), clock);
    }

    /** Begins to receive, to ask and to answer. */
    void start(IpInput input, RouteTable routes) {
        device.protocols().addHandler(EtherType.IPV4, skb -> input.receive(skb, this));
        device.protocols().addHandler(EtherType.IPV6, skb -> input.receive(skb, this));
        if (isEthernet()) {
            device.protocols().addHandler(EtherType.ARP, arp);
            joinGroups();
        }
        listener = (_, event) -> onEvent(event, routes);
        device.addListener(listener);
    }

    /** {@return the device} */
    public NetDevice device() {
        return device;
    }

    boolean isLoopback() {
        return device.flags().has(DeviceFlag.LOOPBACK);
    }

    private boolean isEthernet() {
        return device.linkType() == LinkType.ETHERNET;
    }

    NeighbourDiscovery discovery() {
        return discovery;
    }

    /** True if an address, given by its halves, is one of the device. */
    boolean isOwn(long prefix, long interfaceId) {
        return own.contains(prefix, interfaceId);
    }

    /** Which groups it is in. */
    MulticastGroups groups() {
        return groups;
    }

    /**
     * Somebody wants what is sent to a group on this link ({@code ip_mc_join_group}); as often as {@link #leave}.
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
     * @throws io.rdma4j.base.RdmaException ENOENT if nobody has joined it
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

    /** Groups that all stations are in, and those that questions for an IPv6 address go to. */
    private synchronized void joinGroups() {
        if (!isEthernet()) {
            return;
        }
        for (long group : linkGroups) {
            device.link().removeMulticast(group);
        }
        linkGroups = device.addresses().stream()
                .flatMapToLong(IpInterface::groupsOf)
                .distinct()
                .toArray();
        for (long group : linkGroups) {
            device.link().addMulticast(group);
        }
    }

    private static LongStream groupsOf(Gid address) {
        if (address.isIpv4()) {
            return LongStream.of(MacAddress.ofGroup(MulticastGroups.ALL_HOSTS));
        }
        return LongStream.of(
                MacAddress.ofGroup(NeighbourDiscovery.ALL_NODES),
                MacAddress.ofGroup(NeighbourDiscovery.solicitedNode(address)));
    }

    /** {@return who answers to which address on the link} */
    public NeighbourTable neighbours() {
        return neighbours;
    }

    /** {@return ARP packets and neighbour messages that were dropped because they make no sense} */
    public long malformed() {
        return arp.malformed() + discovery.malformed();
    }

    /** {@return messages of ICMPv6 that nobody here understands} */
    public long unknown() {
        return discovery.unknown();
    }

    /** {@return questions and answers that could not be sent} */
    public long lost() {
        return packets.lost();
    }

    /** Receives no more, and drops what waits to be sent. */
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
