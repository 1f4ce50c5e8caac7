// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.FaultyLink;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.LinkWords;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.EndpointTarget;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hosts in this JVM, each with one RDMA device, and the network between them. A test changes the network while its
 * program runs, and waits with {@link #await} or {@link #pass}.
 *
 * <p>In real time any thread may call. In virtual time only one thread may use the fabric and the objects of its hosts;
 * nothing happens while that thread does not wait here, and a blocking call of the verbs would wait for ever.
 */
public final class Fabric implements EndpointTarget, AutoCloseable {
    /** Maximum wait in virtual time. */
    private static final long VIRTUAL_TIMEOUT_NS = Duration.ofMinutes(10).toNanos();

    private final FabricSetup setup;
    private final FabricWorld world;
    private final long startNs;
    private final List<RdmaHost> hosts = new ArrayList<>();
    private final Partitions partitions = new Partitions();
    private final Deque<QpPair> pairs = new ArrayDeque<>();
    private @Nullable FabricCapture capture;
    private boolean closed;

    private Fabric(FabricSetup setup) {
        this.setup = setup;
        Topology topology = setup.parse();
        world = setup.virtualTime() ? new VirtualWorld(topology, setup.seed()) : new RealWorld(topology, setup.seed());
        startNs = world.clock().nanoTime();
        List<Machine> machines = world.hosts();
        for (int i = 0; i < machines.size(); i++) {
            Machine machine = machines.get(i);
            hosts.add(new RdmaHost(i, machine, world.contexts().get(i), link(machine)));
        }
        if (setup.isStar()) {
            clearFaultsOfTheSwitch(world.network());
        }
    }

    /**
     * Creates hosts and network, and opens the RDMA device of each host.
     *
     * @param setup number of hosts, faults, seed and kind of time
     * @return the fabric; the caller closes it
     * @throws RdmaException EINVAL for an invalid topology or link
     */
    public static Fabric open(FabricSetup setup) {
        return new Fabric(setup);
    }

    private FabricLink link(Machine machine) {
        FaultyLink faults = machine.net().initial().devices().stream()
                .map(FaultyLink::on)
                .filter(found -> found != null)
                .findFirst()
                .orElse(null);
        return new FabricLink(machine.name(), faults);
    }

    /** A packet passes two links, but only the host that sends it applies the faults. */
    private static void clearFaultsOfTheSwitch(Network network) {
        List<FaultyLink> faults = network.faults();
        for (int i = 1; i < faults.size(); i += 2) {
            FaultyLink ofTheSwitch = faults.get(i);
            int mtuBytes = ofTheSwitch.send().profile().mtuBytes();
            ofTheSwitch.send().profile(LinkWords.PLAIN.withMtuBytes(mtuBytes));
        }
    }

    // Hosts

    /** {@return all hosts, in order; immutable} */
    public List<RdmaHost> hosts() {
        return List.copyOf(hosts);
    }

    /**
     * {@return a host by its number}
     *
     * @param index from 0
     * @throws RdmaException ENOENT if there are fewer hosts
     */
    public RdmaHost host(int index) {
        if (index < 0 || index >= hosts.size()) {
            throw new RdmaException(Errno.ENOENT, "there is no host " + index + ": the fabric has " + hosts);
        }
        return hosts.get(index);
    }

    /**
     * {@return a host by its name}
     *
     * @param name such as {@code host0}
     * @throws RdmaException ENOENT if no host has this name
     */
    public RdmaHost host(String name) {
        return hosts.stream()
                .filter(host -> host.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new RdmaException(Errno.ENOENT, "there is no host \"" + name + "\": the fabric has " + hosts));
    }

    /**
     * Creates two reliable queue pairs with their queues and memory, and connects them. Each may read, write and change
     * the memory of the other.
     *
     * @param a number of one host
     * @param b number of the other host; may be the same
     * @return the pair; the fabric closes it, unless the test does
     */
    public QpPair connect(int a, int b) {
        return connect(a, b, EndpointSetup.OPEN, LinkSetup.DEFAULT);
    }

    /**
     * Creates two queue pairs with their queues and memory, and connects them.
     *
     * @param a number of one host
     * @param b number of the other host; may be the same
     * @param objects attributes of the objects of both sides
     * @param link attributes of the connection
     * @return the pair; the fabric closes it, unless the test does
     */
    public QpPair connect(int a, int b, EndpointSetup objects, LinkSetup link) {
        QpPair pair = new QpPair(
                new Endpoint(this, host(a).context(), objects), new Endpoint(this, host(b).context(), objects));
        pairs.push(pair);
        pair.connect(link);
        return pair;
    }

    // The network

    /** {@return the machines, switches and links} */
    public Network network() {
        return world.network();
    }

    /**
     * Changes the links of all hosts.
     *
     * @param change called for each link, for example {@code link -> link.loss(0.1)}
     */
    public void links(Consumer<FabricLink> change) {
        hosts.forEach(host -> change.accept(host.link()));
    }

    /**
     * Drops all IP packets between two hosts, in both directions, until {@link #heal}.
     *
     * @param a number of one host
     * @param b number of the other host
     */
    public void partition(int a, int b) {
        partitions.add(host(a), host(b));
    }

    /**
     * Ends a partition. Does nothing if there is none.
     *
     * @param a number of one host
     * @param b number of the other host
     */
    public void heal(int a, int b) {
        partitions.remove(host(a), host(b));
    }

    /** {@return the number of packets that all hosts have sent again} */
    public long retransmissions() {
        return hosts.stream().mapToLong(RdmaHost::retransmissions).sum();
    }

    /**
     * Captures the frames that each host sends and receives, in one file for each host. Lost packets are in the file of
     * their sender only. The files are complete after {@link #close}.
     *
     * @param directory exists; gets a file {@code HOST.pcap} for each host
     * @return the files, in the order of the hosts
     * @throws IOException if a file cannot be created
     * @throws IllegalStateException if a capture runs already
     */
    public List<Path> captureTo(Path directory) throws IOException {
        if (capture != null) {
            throw new IllegalStateException("a capture runs already");
        }
        FabricCapture started = new FabricCapture(directory, hosts, world.clock(), setup.virtualTime());
        capture = started;
        return started.files();
    }

    // Time

    /** {@return the seed of the faults} */
    public long seed() {
        return setup.seed();
    }

    /** {@return the time since the fabric was created, on its clock} */
    public Duration elapsed() {
        return Duration.ofNanos(world.clock().nanoTime() - startNs);
    }

    /**
     * Lets time pass.
     *
     * @param duration on the clock of the fabric
     */
    public void pass(Duration duration) {
        world.pass(duration.toNanos());
    }

    /** In virtual time, advances to the next event. */
    @Override
    public void progress() {
        if (setup.virtualTime()) {
            world.step(Deadline.after(world.clock().nanoTime(), VIRTUAL_TIMEOUT_NS));
        }
    }

    /**
     * Waits until a condition holds, for up to 20 s of real time or 10 minutes of virtual time.
     *
     * @param what the awaited event, for the message
     * @param condition called repeatedly by this thread
     * @throws AssertionError if the condition does not hold in time; in virtual time also if nothing will happen any
     *     more
     */
    @Override
    public void await(String what, BooleanSupplier condition) {
        long timeoutNs = setup.virtualTime() ? VIRTUAL_TIMEOUT_NS : TIMEOUT.toNanos();
        long endNs = Deadline.after(world.clock().nanoTime(), timeoutNs);
        while (!condition.getAsBoolean()) {
            if (!world.step(endNs) && !condition.getAsBoolean()) {
                throw new AssertionError("not in time: " + what + ", until " + elapsed());
            }
        }
    }

    // The end

    /**
     * Closes the pairs of {@link #connect}, contexts, machines and links. Objects that the test has left open lose
     * their device.
     */
    @Override
    public void close() {
        shutDown();
    }

    /** Closes everything; returns a line for each object that the test has left open. */
    List<String> shutDown() {
        if (closed) {
            return List.of();
        }
        closed = true;
        pairs.forEach(QpPair::close);
        List<String> leaks = leaks();
        try {
            if (leaks.isEmpty()) {
                world.close();
            } else {
                network().machines().forEach(Fabric::abandon);
            }
        } finally {
            if (capture != null) {
                capture.close();
            }
        }
        return leaks;
    }

    /** Ends the threads and the devices of a machine whose contexts cannot be closed. */
    private static void abandon(Machine machine) {
        machine.net().unregister(machine.net().devices());
        machine.loop().close();
    }

    private List<String> leaks() {
        List<String> leaks = new ArrayList<>();
        for (RdmaHost host : hosts) {
            for (Device device : host.machine().rdma().devices()) {
                for (Resource resource : device.resources()) {
                    if (resource.kind() != ResourceKind.CONTEXT) {
                        leaks.add(
                                host + ": " + resource.kind().label() + " " + resource.id() + " " + resource.details());
                    }
                }
                for (Context context : device.contexts()) {
                    if (!context.equals(host.context())) {
                        leaks.add(host + ": " + context);
                    }
                }
            }
        }
        return leaks;
    }

    @Override
    public String toString() {
        return hosts + ", seed " + setup.seed() + (setup.virtualTime() ? ", virtual time" : "");
    }
}
