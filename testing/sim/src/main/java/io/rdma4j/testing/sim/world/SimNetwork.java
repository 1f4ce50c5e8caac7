// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.links.LinkStats;
import io.rdma4j.links.PcapWriter;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Holds the packets in flight between the hosts, ordered by arrival time and then by sending order. Every ordered pair
 * of hosts has a separate {@link SimLink}. One thread.
 */
public final class SimNetwork implements AutoCloseable, Arrivals {
    /** Maximum number of packets in flight. */
    static final int BUFFERS = 2048;

    /** Largest IP packet: path MTU 4096 and headers. */
    public static final int MAX_PACKET_BYTES = 4096 + 128;

    private record Arrival(long timeNs, long sequence, SimLink link, SkBuff packet) {
        static int compare(Arrival a, Arrival b) {
            // Compares the difference, so that the clock may wrap.
            int order = Long.signum(a.timeNs - b.timeNs);
            return order != 0 ? order : Long.compare(a.sequence, b.sequence);
        }
    }

    private final VirtualClock clock;
    private final EventTrace trace;
    private final LinkProfile profile;
    private final long seed;
    private final SkBuffPool buffers = new SkBuffPool(BUFFERS, MAX_PACKET_BYTES);
    private final PriorityQueue<Arrival> arrivals = new PriorityQueue<>(Arrival::compare);
    private final List<SimLinkDevice> devices = new ArrayList<>();
    private final List<List<SimLink>> links = new ArrayList<>();
    private @Nullable PcapWriter capture;
    private long sequence;
    private long unroutable;

    SimNetwork(VirtualClock clock, EventTrace trace, LinkProfile profile, long seed) {
        this.clock = clock;
        this.trace = trace;
        this.profile = profile;
        this.seed = seed;
    }

    /**
     * Attaches a host that has {@code addresses}, and links it with all others.
     *
     * @throws RdmaException EINVAL if the MTU is above {@link #MAX_PACKET_BYTES}
     */
    SimLinkDevice attach(int mtuBytes, List<Gid> addresses) {
        if (mtuBytes > MAX_PACKET_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL, "MTU " + mtuBytes + ": the network carries up to " + MAX_PACKET_BYTES + " bytes");
        }
        SimLinkDevice device = new SimLinkDevice(this, devices.size(), mtuBytes, addresses);
        devices.add(device);
        links.add(new ArrayList<>());
        for (SimLinkDevice other : devices) {
            links.get(other.index()).add(link(other, device));
            if (other != device) {
                links.get(device.index()).add(other.index(), link(device, other));
            }
        }
        return device;
    }

    private SimLink link(SimLinkDevice from, SimLinkDevice to) {
        long purpose = (long) from.index() << 32 | to.index();
        return new SimLink(this, from, to, profile, Seeds.derive(seed, purpose));
    }

    /** The link from one host to another, by their indices from 0. */
    public SimLink link(int from, int to) {
        return links.get(from).get(to);
    }

    /** Numbers of delivered, lost and changed packets of all links. */
    public LinkStats stats() {
        LinkStats sum = new LinkStats();
        links.forEach(row -> row.forEach(link -> sum.add(link.stats())));
        return sum;
    }

    /** Number of packets to addresses that no host has. */
    public long unroutable() {
        return unroutable;
    }

    /** Writes every packet that a host sends, including lost ones; null: none. */
    public void capture(@Nullable PcapWriter writer) {
        capture = writer;
    }

    EventTrace trace() {
        return trace;
    }

    /** Sends a finished packet of a host; the caller keeps the buffer. */
    void send(SimLinkDevice from, SkBuff packet) {
        PcapWriter writer = capture;
        if (writer != null) {
            writer.write(clock.elapsedNs(), packet.memory().asSlice(packet.data(), packet.len()));
        }
        Gid destination = destination(packet);
        for (SimLinkDevice to : devices) {
            if (to.hasAddress(destination)) {
                link(from.index(), to.index()).send(packet, clock.nanoTime());
                return;
            }
        }
        unroutable++;
    }

    /**
     * Delivers a packet that no host has sent to a host now.
     *
     * @return false if too many packets are in flight
     */
    public boolean inject(int to, MemorySegment packet) {
        PcapWriter writer = capture;
        if (writer != null) {
            writer.write(clock.elapsedNs(), packet);
        }
        SkBuff copy = buffers.allocate();
        if (copy == null) {
            return false;
        }
        int at = copy.put((int) packet.byteSize());
        MemorySegment.copy(packet, 0, copy.memory(), at, packet.byteSize());
        devices.get(to).arrive(copy);
        return true;
    }

    private static Gid destination(SkBuff packet) {
        MemorySegment memory = packet.memory();
        int ip = packet.data();
        return Ipv4.version(memory, ip) == Ipv4.VERSION
                ? Gid.ofIpv4(Ipv4.destination(memory, ip))
                : Ipv6.destination(memory, ip);
    }

    /** Copies a packet; null if too many are in flight. */
    @Nullable
    SkBuff copy(SkBuff packet) {
        SkBuff copy = buffers.allocate();
        if (copy != null) {
            int at = copy.put(packet.len());
            MemorySegment.copy(packet.memory(), packet.data(), copy.memory(), at, packet.len());
        }
        return copy;
    }

    void schedule(long timeNs, SimLink link, SkBuff packet) {
        arrivals.add(new Arrival(timeNs, sequence++, link, packet));
    }

    @Override
    public long nextArrivalNs() {
        Arrival next = arrivals.peek();
        return next == null ? Deadline.NEVER : next.timeNs();
    }

    @Override
    public boolean deliver() {
        boolean delivered = false;
        for (Arrival next = arrivals.peek(); next != null && isDue(next); next = arrivals.peek()) {
            arrivals.remove();
            next.link().arrive(next.packet());
            delivered = true;
        }
        return delivered;
    }

    private boolean isDue(Arrival arrival) {
        return arrival.timeNs() - clock.nanoTime() <= 0;
    }

    /** Packets in flight or in a host's receive queue; 0 when the network is idle. */
    int buffersInUse() {
        return buffers.count() - buffers.available();
    }

    /** Drops the packets in flight; the hosts are closed. */
    @Override
    public void close() {
        arrivals.forEach(arrival -> arrival.packet().free());
        arrivals.clear();
        buffers.close();
    }
}
