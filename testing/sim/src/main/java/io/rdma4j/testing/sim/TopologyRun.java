package io.rdma4j.testing.sim;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.control.topology.Topology;
import io.rdma4j.net.EtherType;
import io.rdma4j.net.link.LinkProfile;
import io.rdma4j.net.link.PcapTap;
import io.rdma4j.net.link.PcapWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the messages of a {@link Scenario} over the network of a {@link Topology}, between the RDMA devices of all pairs of its hosts, and
 * says what was wrong. The links are those of the topology; that of the scenario is left aside.
 *
 * <p>Retry counts are endless, for the reason that {@link ScenarioRun} tells.
 */
public final class TopologyRun {
    /**
     * So many packets without a single message received or send completed. More than for other runs: where addresses are asked for over
     * links that corrupt packets, a host may take a wrong answer for the right one until it is probed, seconds later.
     */
    private static final long FRUITLESS_PACKETS = 10_000_000;

    /** What {@link Seeds} know the first pair by. */
    private static final int PURPOSE = 0x1000;

    private final String source;
    private final Topology topology;
    private final Scenario scenario;
    private @Nullable PcapWriter capture;

    /**
     * A run.
     *
     * @param source what messages call the topology
     * @param topology with commands that give at least two hosts an RDMA device each
     */
    public TopologyRun(String source, Topology topology, Scenario scenario) {
        this.source = source;
        this.topology = topology;
        this.scenario = scenario;
    }

    /** Writes every frame that the interface of an RDMA device sends or receives, so most of them twice; null for nowhere. */
    public TopologyRun capture(@Nullable PcapWriter writer) {
        capture = writer;
        return this;
    }

    /**
     * Runs it to its end, or to the first violation.
     *
     * @throws RdmaException EINVAL if a command fails, there are less than two hosts with RDMA devices, or packets of the path MTU are too
     *     long for an interface
     */
    public RunResult run() {
        try (TopologyWorld world = new TopologyWorld(source, topology, scenario.transport(), scenario.seed())) {
            List<SimHost> hosts = world.hosts();
            if (hosts.size() < 2) {
                throw new RdmaException(
                        Errno.EINVAL,
                        source + ": of its hosts, " + hosts.size() + " have RDMA devices: two are needed");
            }
            PcapWriter writer = capture;
            if (writer != null) {
                writer.restartTime();
                hosts.forEach(host -> PcapTap.open(host.port().device(), EtherType.ALL, writer, world.clock()));
            }
            return run(world);
        }
    }

    private RunResult run(TopologyWorld world) {
        Report report = new Report(world.clock(), world.trace());
        Deque<MessagePair> pairs = new ArrayDeque<>();
        try {
            List<Workload> workloads = new ArrayList<>();
            for (SimHost b : world.hosts()) {
                for (SimHost a : world.hosts().subList(0, b.index())) {
                    MessagePair pair = new MessagePair(a, b, scenario(a, b, pairs.size()));
                    pairs.push(pair);
                    workloads.add(pair.workload(report));
                }
            }
            return new RunLoop(world, new Activities(workloads), report, FRUITLESS_PACKETS).run(scenario);
        } finally {
            pairs.forEach(MessagePair::close);
        }
    }

    /** What a pair does: as the scenario has it, with a seed of its own, and packets that fit. */
    private Scenario scenario(SimHost a, SimHost b, int pair) {
        Scenario own = scenario.withSeed(Seeds.derive(scenario.seed(), PURPOSE + pair))
                .withLink(LinkProfile.PERFECT.withLatencyNs(longestWayNs()));
        Mtu wanted = Choices.of(own).pathMtu();
        Mtu fits = a.activeMtu().code() < b.activeMtu().code() ? a.activeMtu() : b.activeMtu();
        if (scenario.pathMtu() != null && wanted.code() > fits.code()) {
            throw new RdmaException(
                    Errno.EINVAL, source + ": path MTU " + wanted.bytes() + ": interfaces let pass " + fits.bytes());
        }
        return own.withPathMtu(wanted.code() < fits.code() ? wanted : fits);
    }

    /** No way takes longer that passes each link once. */
    private long longestWayNs() {
        return topology.links().stream()
                .mapToLong(link -> link.profile().latencyNs() + link.profile().jitterNs())
                .sum();
    }
}
