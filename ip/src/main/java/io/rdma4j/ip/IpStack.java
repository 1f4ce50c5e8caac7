// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.neighbour.StackChanges;
import io.rdma4j.ip.route.RouteTable;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Igmp;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * IP layer of a host, or of one of its namespaces ({@code struct netns_ipv4}, {@code netns_ipv6}): routes, input,
 * output, ports, and IP on each device.
 *
 * <p>The stack has no threads and no clock of its own. It belongs to the owner of the loop of its devices, which calls
 * {@link #onTimeout} at the next deadline, and {@link #flush} before it sends. Only these are for any thread: changes
 * of {@link #routes} and {@link #hooks}, {@link #setForwarding}, and reading {@link #counters}.
 */
public final class IpStack implements AutoCloseable {
    private final IpSettings settings;
    private final NanoClock clock;
    private final SnmpCounters counters = new SnmpCounters();
    private final PacketHooks hooks = new PacketHooks();
    private final RouteTable routes = new RouteTable();
    private final Interfaces interfaces = new Interfaces();
    private final StackChanges changes = new StackChanges();
    private final IpBuffers buffers = new IpBuffers();
    private final RouteCache destinations;
    private final IpForward forward;
    private final Reassembly reassembly;
    private final IpInput input;
    private final UdpPorts ports;
    private final UdpInput udp;
    private final UdpGro gro;
    private final PingTable pings;

    /**
     * Creates a stack without devices.
     *
     * @param settings of all parts
     * @param clock of the loop; it may be constant during a run of the loop
     */
    public IpStack(IpSettings settings, NanoClock clock) {
        this.settings = settings;
        this.clock = clock;
        this.destinations = new RouteCache(routes, interfaces, clock);
        SourceAddresses sources = new SourceAddresses(interfaces);
        IpOutput output = new IpOutput(counters, buffers, clock, settings.hopLimit(), hooks);
        IcmpSender icmp = new IcmpSender(destinations, sources, buffers, output, counters, clock, settings);
        this.forward = new IpForward(output, buffers, icmp, counters, clock, hooks);
        this.reassembly = new Reassembly(settings.reassemblyBytes(), counters, icmp, clock, changes);
        this.input = new IpInput(destinations, forward, reassembly, icmp, counters, hooks);
        this.ports = new UdpPorts(destinations, sources, interfaces, output, counters);
        this.udp = new UdpInput(ports, icmp, counters);
        this.gro = new UdpGro(interfaces, ports, udp, hooks);
        this.pings = new PingTable(destinations, sources, icmp, counters);
        IcmpErrorInput errors = new IcmpErrorInput(interfaces, destinations, ports, pings, counters);
        GroupInput groupInput = new GroupInput(interfaces);
        IcmpInput icmpInput = new IcmpInput(interfaces, icmp, errors, groupInput, pings, counters);
        input.protocols(true).add(Igmp.PROTOCOL, groupInput);
        input.protocols(true).add(Ipv4.PROTOCOL_UDP, udp);
        input.protocols(false).add(Ipv6.NEXT_HEADER_UDP, udp);
        input.protocols(true).add(Icmp.PROTOCOL, icmpInput);
        input.protocols(false).add(Icmpv6.NEXT_HEADER, icmpInput);
    }

    /**
     * Adds a device. From now on the stack receives its IP packets, and its addresses belong to the host. Packets of
     * the host to itself pass through the first {@linkplain DeviceFlag#LOOPBACK loopback} device.
     *
     * @param device registered, in the same namespace and loop as the others
     * @return IP on the device
     * @throws RdmaException EBUSY if IP packets of the device have a receiver, EEXIST if the stack has the device
     *     already
     */
    public IpInterface add(NetDevice device) {
        if (interfaces.of(device) != null) {
            throw new RdmaException(Errno.EEXIST, device.name() + " is a device of this stack already");
        }
        IpInterface one = new IpInterface(device, settings.neighbours(), clock, changes);
        one.start(input, routes);
        interfaces.add(one);
        changes.note();
        device.protocols().groReceiver(gro);
        routes.connect(device);
        return one;
    }

    /**
     * Removes a device with its routes and neighbours; does nothing if it is not a device of this stack.
     *
     * @param device of this stack, or any other
     */
    public void remove(NetDevice device) {
        IpInterface gone = interfaces.of(device);
        if (gone != null) {
            device.protocols().groReceiver(null);
            interfaces.remove(gone);
            routes.forget(device);
            destinations.flush();
            gone.close();
        }
    }

    /** {@return the routing table} */
    public RouteTable routes() {
        return routes;
    }

    /** {@return the cache of routing results} */
    public RouteCache destinations() {
        return destinations;
    }

    /** {@return the input path, with the receivers by protocol} */
    public IpInput input() {
        return input;
    }

    /** {@return the UDP input path, with the handlers by port} */
    public UdpInput udp() {
        return udp;
    }

    /** {@return the UDP endpoints by port} */
    public UdpPorts ports() {
        return ports;
    }

    /** {@return a new endpoint for echo requests; the caller closes it} */
    public PingEndpoint openPing() {
        return pings.open(IpEndpoint.DEFAULT_RECEIVE_BYTES);
    }

    /** {@return true if packets for other hosts are forwarded ({@code ip_forward}); false by default} */
    public boolean isForwarding() {
        return forward.isEnabled();
    }

    /**
     * Makes the host a router, or an end station again. Any thread.
     *
     * @param forwarding true for a router
     */
    public void setForwarding(boolean forwarding) {
        forward.enable(forwarding);
    }

    /** {@return number of the stack's own buffers that are in use} */
    public int buffersInUse() {
        return buffers.inUse() + reassembly.inUse();
    }

    /**
     * {@return the filters of the stack's packets ({@code net->nf}); any thread may add some} Filters of single devices
     * are in {@link NetDevice#hooks}.
     */
    public PacketHooks hooks() {
        return hooks;
    }

    /** {@return true if no filter sees the packets of this stack} */
    public boolean isPassedUnseen() {
        return !hooks.isWatched();
    }

    /** {@return the counters of {@code /proc/net/snmp}} */
    public SnmpCounters counters() {
        return counters;
    }

    /**
     * {@return IP on a device; null if the stack does not have the device}
     *
     * @param device any
     */
    public @Nullable IpInterface interfaceOf(NetDevice device) {
        return interfaces.of(device);
    }

    /** Makes the next {@link #takeChanges} return true. */
    void noteChange() {
        changes.note();
    }

    /**
     * {@return true if {@link #flush} may have packets, or {@link #nextDeadlineNs} may be earlier than at the last call
     * of this method} Constant time for any number of devices.
     */
    boolean takeChanges() {
        return changes.take();
    }

    /**
     * Sends packets whose neighbours have been resolved, until a device is busy.
     *
     * @return true if no such packet is left
     */
    public boolean flush() {
        boolean flushed = true;
        for (IpInterface one : interfaces.array()) {
            flushed &= one.neighbours().flush();
        }
        return flushed;
    }

    /**
     * Drops the packets that wait in the stack and match {@code condition}.
     *
     * @param condition called for each packet; must not change it
     * @return number of dropped packets
     */
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = 0;
        for (IpInterface one : interfaces.array()) {
            dropped += one.neighbours().dropWaiting(condition);
        }
        return dropped;
    }

    /**
     * {@return time at which {@link #onTimeout} must be called, nanoseconds of the clock, or {@link Deadline#NEVER}}
     * The call may have nothing to do.
     */
    public long nextDeadlineNs() {
        long next = reassembly.nextDeadlineNs();
        for (IpInterface one : interfaces.array()) {
            next = Deadline.earlier(next, one.nextDeadlineNs());
        }
        return next;
    }

    /**
     * Runs the timers that are due.
     *
     * @param nowNs nanoseconds of the stack's clock
     */
    public void onTimeout(long nowNs) {
        for (IpInterface one : interfaces.array()) {
            one.onTimeout(nowNs);
        }
        reassembly.onTimeout(nowNs);
    }

    /** Closes all endpoints, removes all devices, and drops packets that wait. */
    @Override
    public void close() {
        ports.close();
        pings.close();
        interfaces.list().forEach(one -> remove(one.device()));
        destinations.flush();
        reassembly.close();
        buffers.close();
    }
}
