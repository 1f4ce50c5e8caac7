// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.DelayLine;
import io.rdma4j.links.FaultyLink;
import io.rdma4j.links.LinkStats;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.Shell;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The machines and links of a {@link Topology}. Machines with RDMA devices are the hosts, in the order of the file,
 * each with its first device. The other machines, for example switches and routers, are between them. One thread
 * calls it.
 */
public final class TopologyWorld extends World {
    /** Maximum length of a window. A run ends with a window, however long the latencies are. */
    private static final long MAX_WINDOW_NS = 1_000_000;

    private final Network network;
    private final @Nullable Partition partition;

    /** By name of their group of machines; one group has the name "" if all machines share a clock. */
    private final Map<String, Windows.Part> parts = new LinkedHashMap<>();

    private final @Nullable Windows windows;
    private final List<Runnable> checks = new ArrayList<>();

    /**
     * Builds the network and runs the commands of the file. All machines share one clock.
     *
     * @param source name of the topology in messages
     * @param transport transport options of all RDMA devices
     * @throws RdmaException EINVAL if a command fails; the message contains its output
     */
    public TopologyWorld(String source, Topology topology, TransportOptions transport, long seed) {
        this(source, topology, transport, seed, null, 0);
    }

    /**
     * As the constructor, but machines run side by side if the links between them have latency. Each application
     * belongs to one host.
     *
     * @param threads number of threads, at least 1; it does not change the result
     * @throws RdmaException EINVAL if a command fails, or takes the latency from a link between such machines
     */
    public static TopologyWorld sideBySide(
            String source, Topology topology, TransportOptions transport, long seed, int threads) {
        return new TopologyWorld(source, topology, transport, seed, new Partition(topology), threads);
    }

    private TopologyWorld(
            String source,
            Topology topology,
            TransportOptions transport,
            long seed,
            @Nullable Partition partition,
            int threads) {
        super(0);
        this.partition = partition;
        // Switches have most work.
        topology.machines().stream()
                .sorted(Comparator.comparing(machine -> machine.kind() != Topology.Kind.SWITCH))
                .forEach(machine -> addPart(machine.name()));
        network = Network.build(topology, machine -> cell(machine).clock(), ProgressMode.MANUAL, transport, seed);
        try {
            setUp(source, topology);
            windows = partition == null ? null : windows(topology, partition, threads);
            // Machines between the hosts have their turns first.
            network.machines().forEach(this::addBetween);
            network.machines().forEach(this::addHost);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private String group(String machine) {
        return partition == null ? "" : partition.group(machine);
    }

    private void addPart(String machine) {
        parts.computeIfAbsent(group(machine), _ -> {
            VirtualClock time = partition == null ? clock() : new VirtualClock(0);
            DelayLines delayLines = new DelayLines(time);
            return new Windows.Part(addCell(time, new EventTrace(time), delayLines), delayLines);
        });
    }

    private Cell cell(String machine) {
        return part(machine).cell();
    }

    private Windows.Part part(String machine) {
        return Objects.requireNonNull(parts.get(group(machine)), machine);
    }

    /** Opens the delay lines, after the commands that may change links. */
    private Windows windows(Topology topology, Partition between, int threads) {
        long lookaheadNs = MAX_WINDOW_NS;
        for (Topology.Link link : topology.links()) {
            if (between.separates(link)) {
                lookaheadNs = Math.min(lookaheadNs, open(link.first(), link.second()));
                lookaheadNs = Math.min(lookaheadNs, open(link.second(), link.first()));
            }
        }
        return new Windows(clock(), List.copyOf(parts.values()), lookaheadNs, threads);
    }

    /** Opens the delay line of one direction of a link between cells; returns its latency, ns. */
    private long open(Topology.End from, Topology.End to) {
        NetDevice device = Objects.requireNonNull(
                network.machine(from.machine()).net().initial().find(from.device()), from::toString);
        FaultyLink link = FaultyLink.on(device);
        long latencyNs = link == null ? 0 : link.send().profile().latencyNs();
        if (link == null || latencyNs < Partition.MIN_LATENCY_NS) {
            throw new RdmaException(
                    Errno.EINVAL,
                    from + ": a command has reduced the latency to " + latencyNs + " ns: machines that run side by"
                            + " side need at least " + Partition.MIN_LATENCY_NS);
        }
        part(to.machine()).delayLines().add(DelayLine.open(link));
        return latencyNs;
    }

    /** Adds a check of several hosts, for machines that run side by side: it is called when none of them runs. */
    public void afterWindow(Runnable check) {
        checks.add(check);
    }

    @Override
    RunEnd runUntil(BooleanSupplier finished, long endNs) {
        if (windows == null) {
            return super.runUntil(finished, endNs);
        }
        return windows.run(
                () -> {
                    checks.forEach(Runnable::run);
                    return finished.getAsBoolean();
                },
                endNs);
    }

    private void setUp(String source, Topology topology) {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        try {
            Shell.runAll(network, source, topology, out, out);
        } catch (RdmaException e) {
            throw new RdmaException(
                    e.errno(), e.getMessage() + ": " + said.toString().strip());
        }
    }

    private void addBetween(Machine machine) {
        if (machine.rdma().devices().isEmpty()) {
            cell(machine.name()).add(machine.loop(), null);
        }
    }

    private void addHost(Machine machine) {
        List<Device> devices = machine.rdma().devices();
        if (!devices.isEmpty()) {
            String device = devices.getFirst().name();
            Context context = machine.rdma().open(device);
            RxePort port = Objects.requireNonNull(machine.port(device), "an open device has a port");
            Cell cell = cell(machine.name());
            add(new SimHost(hosts().size(), cell.clock(), machine.rdma(), context, port, () -> {}), cell);
        }
    }

    /** The machines and their links. This object closes them. */
    public Network network() {
        return network;
    }

    @Override
    LinkStats linkStats() {
        LinkStats sum = new LinkStats();
        network.faults().forEach(link -> sum.add(link.send().stats()));
        return sum;
    }

    @Override
    int buffersUnderWay() {
        return network.faults().stream().mapToInt(FaultyLink::inUse).sum();
    }

    @Override
    public void close() {
        super.close();
        network.close();
    }
}
