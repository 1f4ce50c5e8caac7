// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.run;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.links.PcapTap;
import io.rdma4j.links.PcapWriter;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.message.MessagePair;
import io.rdma4j.testing.sim.message.Workload;
import io.rdma4j.testing.sim.world.Activities;
import io.rdma4j.testing.sim.world.Activity;
import io.rdma4j.testing.sim.world.Choices;
import io.rdma4j.testing.sim.world.RunLoop;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.Seeds;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.testing.sim.world.TopologyWorld;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the messages of a {@link SimScenario} over the network of a {@link Topology}, between the RDMA devices of the
 * pairs of hosts that a {@link TrafficPattern} names, and reports violations. The links are those of the topology; the
 * scenario's link is ignored.
 *
 * <p>Retry counts are unlimited, for the reason given in {@link ScenarioRun}.
 */
public final class TopologyRun {
    /**
     * Maximum number of packets without a message received or a send completed. It is larger than for other runs: on
     * links that corrupt packets a host may accept a corrupted address resolution. It keeps the wrong address until a
     * probe fails, seconds later.
     */
    private static final long FRUITLESS_PACKETS = 10_000_000;

    /**
     * Time between the first messages of two pairs. The first message of each host makes it ask all others for a link
     * address. If 1,000 hosts ask at the same time, their requests fill the queues of the switch, and packets are lost
     * on a network without faults.
     */
    private static final long START_INTERVAL_NS = 1_000;

    /** Purpose of the first pair's random stream in {@link Seeds}. */
    private static final int PURPOSE = 0x1000;

    private final String source;
    private final Topology topology;
    private final SimScenario scenario;
    private TrafficPattern pattern = TrafficPattern.RING;
    private @Nullable PcapWriter capture;
    private int threads = 1;

    /**
     * Creates a run of {@link TrafficPattern#RING}.
     *
     * @param source name of the topology in messages
     * @param topology has commands that give at least two hosts an RDMA device each
     */
    public TopologyRun(String source, Topology topology, SimScenario scenario) {
        this.source = source;
        this.topology = topology;
        this.scenario = scenario;
    }

    /** Sets which hosts exchange messages. */
    public TopologyRun pattern(TrafficPattern hosts) {
        pattern = hosts;
        return this;
    }

    /**
     * Sets the number of threads that run prompt applications and their hosts; 1 by default. It does not change the
     * result.
     */
    public TopologyRun threads(int count) {
        threads = count;
        return this;
    }

    /** Writes every frame that the interface of an RDMA device sends or receives, so most frames twice; null: none. */
    public TopologyRun capture(@Nullable PcapWriter writer) {
        capture = writer;
        return this;
    }

    /**
     * Runs it to its end, or to the first violation.
     *
     * @throws RdmaException EINVAL if a command fails, there are fewer than two hosts with RDMA devices, or packets of
     *     the path MTU are too long for an interface
     */
    public RunResult run() {
        try (TopologyWorld world = world()) {
            List<SimHost> hosts = world.hosts();
            if (hosts.size() < 2) {
                throw new RdmaException(
                        Errno.EINVAL,
                        source + ": of its hosts, " + hosts.size() + " have RDMA devices: two are needed");
            }
            PcapWriter writer = capture;
            if (writer != null) {
                writer.restartTime();
                hosts.forEach(host -> PcapTap.open(host.port().device(), EtherType.ALL, writer, host::nowNs));
            }
            return run(world);
        }
    }

    /**
     * Prompt applications have separate ends and no random polls, so their hosts run side by side. A capture needs one
     * thread; its frames are out of order by one window.
     */
    private TopologyWorld world() {
        return scenario.prompt()
                ? TopologyWorld.sideBySide(
                        source, topology, scenario.transport(), scenario.seed(), capture == null ? threads : 1)
                : new TopologyWorld(source, topology, scenario.transport(), scenario.seed());
    }

    private RunResult run(TopologyWorld world) {
        RunReport report = world.report();
        Deque<MessagePair> pairs = new ArrayDeque<>();
        try {
            List<Activity> activities = new ArrayList<>();
            for (TrafficPattern.Pair hosts : pattern.pairs(world.hosts().size(), scenario.seed())) {
                SimHost a = world.hosts().get(hosts.first());
                SimHost b = world.hosts().get(hosts.second());
                MessagePair pair = new MessagePair(a, b, scenario(a, b, pairs.size()));
                pairs.push(pair);
                Workload workload = pair.workload(report, (pairs.size() - 1) * START_INTERVAL_NS);
                if (scenario.prompt()) {
                    activities.addAll(workload.ends());
                    world.afterWindow(workload::checkCausality);
                } else {
                    activities.add(workload);
                }
            }
            return new RunLoop(world, new Activities(activities), report, FRUITLESS_PACKETS).run(scenario);
        } finally {
            pairs.forEach(MessagePair::close);
        }
    }

    /** Returns the scenario of a pair: with a separate seed, and packets that fit. */
    private SimScenario scenario(SimHost a, SimHost b, int pair) {
        SimScenario own = scenario.withSeed(Seeds.derive(scenario.seed(), PURPOSE + pair))
                .withLink(LinkProfile.PERFECT.withLatencyNs(longestWayNs()));
        Mtu wanted = Choices.of(own).pathMtu();
        Mtu fits = a.activeMtu().code() < b.activeMtu().code() ? a.activeMtu() : b.activeMtu();
        if (scenario.pathMtu() != null && wanted.code() > fits.code()) {
            throw new RdmaException(
                    Errno.EINVAL, source + ": path MTU " + wanted.bytes() + ": interfaces let pass " + fits.bytes());
        }
        return own.withPathMtu(wanted.code() < fits.code() ? wanted : fits);
    }

    /** Upper limit of the delay of any path that uses each link once. */
    private long longestWayNs() {
        return topology.links().stream()
                .mapToLong(link -> link.profile().latencyNs() + link.profile().jitterNs())
                .sum();
    }
}
