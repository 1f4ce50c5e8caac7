package io.rdma4j.net.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.net.EtherType;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.UdpInput;
import io.rdma4j.wire.Icmpv6;
import java.util.stream.LongStream;

/**
 * IP on one device ({@code struct in_device}, {@code struct inet6_dev}): asks and answers who has an address, and keeps the
 * {@link #neighbours} up to date. On an IP device there is nothing to do.
 *
 * <p>Belongs to the owner of the device's loop, who calls {@link NeighbourTable#onTimeout} when its deadline has come, and
 * {@link NeighbourTable#flush} before it sends.
 */
public final class IpInterface implements AutoCloseable {
    private final NetDevice device;
    private final ControlPackets packets;
    private final NeighbourTable neighbours;
    private final ArpHandler arp;
    private final NeighbourDiscovery discovery;
    private final NetDeviceListener listener = (_, event) -> onEvent(event);
    private long[] groups = {};

    /** @param clock the time of the loop: it need not go on while the owner is at work */
    public IpInterface(NetDevice device, NeighbourSettings settings, NanoClock clock) {
        this.device = device;
        this.packets = new ControlPackets(device);
        this.neighbours = new NeighbourTable(device, settings, clock, this::solicit);
        OwnAddresses own = new OwnAddresses(device);
        this.arp = new ArpHandler(device, own, packets, neighbours);
        this.discovery = new NeighbourDiscovery(device, own, packets, neighbours);
    }

    /**
     * Begins to ask and to answer.
     *
     * @param input who gets the IPv6 packets of the device
     */
    public void start(UdpInput input) {
        if (device.linkType() == LinkType.ETHERNET) {
            device.protocols().addHandler(EtherType.ARP, arp);
            input.registerProtocol(Icmpv6.NEXT_HEADER, discovery);
            device.addListener(listener);
            joinGroups();
        }
    }

    private void solicit(Neighbour neighbour) {
        if (neighbour.address().isIpv4()) {
            arp.solicit(neighbour);
        } else {
            discovery.solicit(neighbour);
        }
    }

    private void onEvent(NetDeviceEvent event) {
        switch (event) {
            case DOWN, MAC_CHANGE -> neighbours.invalidate();
            case CARRIER_CHANGE -> {
                if (!device.isCarrierOk()) {
                    neighbours.invalidate();
                }
            }
            case ADDRESS_CHANGE -> joinGroups();
            case UP, UNREGISTER, MTU_CHANGE, FEATURES_CHANGE, FLAGS_CHANGE -> {}
        }
    }

    /** Questions for an IPv6 address go to a group that its station must be in. */
    private synchronized void joinGroups() {
        for (long group : groups) {
            device.link().removeMulticast(group);
        }
        groups = device.addresses().stream()
                .filter(address -> !address.isIpv4())
                .flatMapToLong(IpInterface::groupsOf)
                .toArray();
        for (long group : groups) {
            device.link().addMulticast(group);
        }
    }

    private static LongStream groupsOf(Gid address) {
        return LongStream.of(
                MacAddress.ofGroup(NeighbourDiscovery.ALL_NODES),
                MacAddress.ofGroup(NeighbourDiscovery.solicitedNode(address)));
    }

    /** Who answers to which address on the link. */
    public NeighbourTable neighbours() {
        return neighbours;
    }

    /** ARP packets and neighbour messages that were dropped because they make no sense. */
    public long malformed() {
        return arp.malformed() + discovery.malformed();
    }

    /** Messages of ICMPv6 that nobody here understands. */
    public long unknown() {
        return discovery.unknown();
    }

    /** Questions and answers that could not be sent. */
    public long lost() {
        return packets.lost();
    }

    /** Drops what waits to be sent; after the device was unregistered. */
    @Override
    public void close() {
        device.removeListener(listener);
        neighbours.dropWaiting(_ -> true);
        packets.close();
    }
}
