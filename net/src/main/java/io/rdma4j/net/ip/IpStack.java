package io.rdma4j.net.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceFlag;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Icmp;
import io.rdma4j.wire.Icmpv6;
import io.rdma4j.wire.Igmp;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The IP layer of a host, or of one of its namespaces ({@code struct netns_ipv4}, {@code netns_ipv6}): routes, what arrives, what
 * is sent, who has which port, and IP on each of its devices.
 *
 * <p>No threads and no clock: all belongs to the owner of the loop of its devices, who calls {@link #onTimeout} when the next
 * deadline has come, and {@link #flush} before it sends. Only the {@link #routes} may be changed, and the {@link #counters} be
 * read, by any thread.
 */
public final class IpStack implements AutoCloseable {
    private final IpSettings settings;
    private final NanoClock clock;
    private final SnmpCounters counters = new SnmpCounters();
    private final PacketHooks hooks = new PacketHooks();
    private final RouteTable routes = new RouteTable();
    private final Interfaces interfaces = new Interfaces();
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
     * IP without devices.
     *
     * @param settings numbers of all its parts
     * @param clock the time of the loop: it need not go on while the owner is at work
     */
    public IpStack(IpSettings settings, NanoClock clock) {
        this.settings = settings;
        this.clock = clock;
        this.destinations = new RouteCache(routes, interfaces, clock);
        SourceAddresses sources = new SourceAddresses(interfaces);
        IpOutput output = new IpOutput(counters, buffers, clock, settings.hopLimit(), hooks);
        IcmpSender icmp = new IcmpSender(destinations, sources, buffers, output, counters, clock, settings);
        this.forward = new IpForward(output, buffers, icmp, counters, clock, hooks);
        this.reassembly = new Reassembly(settings.reassemblyBytes(), counters, icmp, clock);
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
     * Takes a device in: from now on its IP packets are received, and its addresses are the host's. Packets of the host to itself
     * go over the first one that is a {@linkplain DeviceFlag#LOOPBACK loopback}.
     *
     * @param device registered, in the same namespace and loop as the others
     * @return IP on it
     * @throws RdmaException EBUSY if IP packets of the device have a receiver, EEXIST if it is in already
     */
    public IpInterface add(NetDevice device) {
        if (interfaces.of(device) != null) {
            throw new RdmaException(Errno.EEXIST, device.name() + " is a device of this stack already");
        }
        IpInterface one = new IpInterface(device, settings.neighbours(), clock);
        one.start(input, routes);
        interfaces.add(one);
        device.protocols().groReceiver(gro);
        routes.connect(device);
        return one;
    }

    /**
     * Lets a device go, with all that was known of its link; nothing happens if it is none of these.
     *
     * @param device one of these, or any other
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

    /** {@return where packets go} */
    public RouteTable routes() {
        return routes;
    }

    /** {@return what was found there} */
    public RouteCache destinations() {
        return destinations;
    }

    /** {@return what arrives} */
    public IpInput input() {
        return input;
    }

    /** {@return which handlers get the datagrams to which ports} */
    public UdpInput udp() {
        return udp;
    }

    /** {@return which endpoints have which ports} */
    public UdpPorts ports() {
        return ports;
    }

    /** {@return an endpoint that asks others whether they are there} */
    public PingEndpoint openPing() {
        return pings.open(Endpoint.DEFAULT_RECEIVE_BYTES);
    }

    /** {@return true if packets for other hosts are passed on ({@code ip_forward}); at first they are not} */
    public boolean isForwarding() {
        return forward.isEnabled();
    }

    /**
     * Makes a router of the host, or an end station again. Any thread.
     *
     * @param forwarding true for a router
     */
    public void setForwarding(boolean forwarding) {
        forward.enable(forwarding);
    }

    /** {@return buffers of the stack itself that are under way or wait} */
    public int buffersInUse() {
        return buffers.inUse() + reassembly.inUse();
    }

    /**
     * {@return filters of its packets, any thread may add some ({@code net->nf}); those of single devices are in
     * {@link NetDevice#hooks}}
     */
    public PacketHooks hooks() {
        return hooks;
    }

    /** {@return true if no filter looks at packets here} */
    public boolean isPassedUnseen() {
        return !hooks.isWatched();
    }

    /** {@return what happened} */
    public SnmpCounters counters() {
        return counters;
    }

    /**
     * {@return IP on a device; null if it is none of this stack}
     *
     * @param device any
     */
    public @Nullable IpInterface interfaceOf(NetDevice device) {
        return interfaces.of(device);
    }

    /** {@return IP on each of its devices, a copy} */
    public List<IpInterface> interfaces() {
        return interfaces.list();
    }

    /**
     * Sends what waited for neighbours that have answered, as far as the devices take it.
     *
     * @return true if nothing of it is left
     */
    public boolean flush() {
        boolean flushed = true;
        for (IpInterface one : interfaces.array()) {
            flushed &= one.neighbours().flush();
        }
        return flushed;
    }

    /**
     * Drops the packets that wait here and {@code condition} holds of.
     *
     * @param condition asked of each; changes nothing
     * @return how many there were
     */
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = 0;
        for (IpInterface one : interfaces.array()) {
            dropped += one.neighbours().dropWaiting(condition);
        }
        return dropped;
    }

    /** {@return when {@link #onTimeout} is to be called, or {@link Deadline#NEVER}; there may be nothing to do then} */
    public long nextDeadlineNs() {
        long next = reassembly.nextDeadlineNs();
        for (IpInterface one : interfaces.array()) {
            next = Deadline.earlier(next, one.nextDeadlineNs());
        }
        return next;
    }

    /**
     * Does what is due; {@code nowNs} is what the stack's clock says.
     *
     * @param nowNs of the loop's clock
     */
    public void onTimeout(long nowNs) {
        for (IpInterface one : interfaces.array()) {
            one.onTimeout(nowNs);
        }
        reassembly.onTimeout(nowNs);
    }

    /** Lets all devices go and drops what waits. */
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
