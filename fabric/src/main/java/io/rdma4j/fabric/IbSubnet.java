// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * The switches, end ports and links that share one schedule of events. One thread at a time.
 *
 * <pre>{@code
 * IbSubnet subnet = new IbSubnet(new EventSchedule());
 * IbSwitch leaf = subnet.newSwitch(8, PacketReceiver…, PortObserver.NONE);
 * IbEndPort a = subnet.newEndPort(1, receiver, PortObserver.NONE);
 * subnet.connect(a.port(), leaf.port(1), IbLinkProfile.PLAIN);
 * }</pre>
 */
public final class IbSubnet {
    /** Entries of a linear forwarding table. */
    public static final int LINEAR_CAP = 0xC000;
    /** Entries of a multicast forwarding table. */
    public static final int MULTICAST_CAP = 1024;

    private final FabricParts parts;

    /**
     * Creates a subnet without nodes.
     *
     * @param schedule which the caller runs
     */
    public IbSubnet(EventSchedule schedule) {
        this.parts = new FabricParts(schedule, new IbPacketPool(), new WireFormat());
    }

    /** {@return the events of the subnet} */
    public EventSchedule schedule() {
        return parts.schedule();
    }

    /** {@return number of packets, copies included, between the ports that sent them and those that receive them} */
    public long packetsInFlight() {
        return parts.packets().inUse();
    }

    /**
     * {@return a new timer, not set}
     *
     * @param action performed when the time is over
     */
    public FabricTimer newTimer(Runnable action) {
        return new FabricTimer(parts.schedule(), action);
    }

    /**
     * {@return a new switch}
     *
     * @param ports number of ports with a link, 1..254
     * @param receiver receives the packets for the switch itself
     * @param observer hears of the states of its ports
     */
    public IbSwitch newSwitch(int ports, PacketReceiver receiver, PortObserver observer) {
        return new IbSwitch(parts, ports, LINEAR_CAP, MULTICAST_CAP, receiver, observer);
    }

    /**
     * {@return a new port of a channel adapter}
     *
     * @param number of the port within its adapter, from 1
     * @param receiver receives the packets for the port
     * @param observer hears of its states
     */
    public IbEndPort newEndPort(int number, PacketReceiver receiver, PortObserver observer) {
        return new IbEndPort(parts, number, receiver, observer);
    }

    /**
     * {@return a new link} It comes up after the training time of its profile, if both ports poll.
     *
     * @param first one port
     * @param second the other one
     * @param profile what the link costs
     * @throws RdmaException EBUSY if a port has a link; EINVAL for a port and itself
     */
    public IbLink connect(IbPort first, IbPort second, IbLinkProfile profile) {
        if (first == second) {
            throw new RdmaException(Errno.EINVAL, "a link has two ports");
        }
        first.requireNoLink();
        second.requireNoLink();
        IbLink link = new IbLink(parts, first.end(), second.end(), profile);
        first.link(link, link.forth());
        second.link(link, link.back());
        link.train();
        return link;
    }
}
