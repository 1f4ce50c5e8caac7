// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.LinkEvent;
import io.rdma4j.links.PcapWriter;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.Runs;
import io.rdma4j.testing.sim.SimScenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs messages over networks of topology files, in virtual time. */
class TopologyRunTest {
    /** Three hosts in two networks, and a router between them. */
    private static final String ROUTED = """
        host a
        host r
        host b
        host c
        switch s
        link a/eth0 r/eth0 mtu 4200 delay 1ms loss 1%
        link r/eth1 s mtu 4200 reorder 5%
        link b/eth0 s mtu 4200 delay 10us
        link c/eth0 s mtu 4200 rate 1gbit
        r: ip addr add 10.0.1.1/24 dev eth0
        r: ip addr add 10.0.2.1/24 dev eth1
        r: sysctl -w net.ipv4.ip_forward=1
        a: ip addr add 10.0.1.2/24 dev eth0
        a: ip route add default via 10.0.1.1
        b: ip addr add 10.0.2.2/24 dev eth0
        b: ip route add default via 10.0.2.1
        c: ip addr add 10.0.2.3/24 dev eth0
        c: ip route add default via 10.0.2.1
        a: rdma link add rxe0 type rxe netdev eth0
        b: rdma link add rxe0 type rxe netdev eth0
        c: rdma link add rxe0 type rxe netdev eth0
        """;

    @TempDir
    private Path directory;

    private static Topology example() throws IOException {
        return TopologyParser.parse("two-hosts.topo", Files.readString(Path.of("../../docs/examples/two-hosts.topo")));
    }

    private static RunResult run(Topology topology, SimScenario scenario) {
        RunResult result = new TopologyRun("test", topology, scenario).run();
        Runs.assertClean(result);
        return result;
    }

    @Test
    void everyMessageOfTheExampleArrivesOverItsBadLink() throws IOException {
        Topology example = example();
        long lost = 0;
        long corrupted = 0;
        for (int seed = 0; seed < 20; seed++) {
            RunResult result = run(example, SimScenario.of(seed));
            assertThat(result.messages()).isEqualTo(80);
            lost += result.network().count(LinkEvent.LOST);
            corrupted += result.network().count(LinkEvent.CORRUPTED);
        }
        assertThat(lost).isPositive();
        assertThat(corrupted).isPositive();
    }

    @Test
    void theSameSeedGivesTheSameRunAndAnotherOneAnother() throws IOException {
        Topology example = example();
        for (int seed = 0; seed < 5; seed++) {
            RunResult first = run(example, SimScenario.of(seed));
            RunResult second = run(example, SimScenario.of(seed));
            assertThat(second).hasToString(first.toString());
            assertThat(run(example, SimScenario.of(seed + 100)).traceHash()).isNotEqualTo(first.traceHash());
        }
    }

    @Test
    void allPairsOfThreeHostsHaveAConnectionAndRoutersForward() {
        Topology routed = TopologyParser.parse("routed", ROUTED);
        for (int seed = 0; seed < 5; seed++) {
            TopologyRun run =
                    new TopologyRun("test", routed, SimScenario.of(seed).withMessages(10));
            RunResult result = run.run();
            assertThat(result.violations()).isEmpty();
            assertThat(result.messages()).as("three pairs").isEqualTo(3 * 2 * 10);
            assertThat(run.run()).hasToString(result.toString());
        }
    }

    @Test
    void promptApplicationsOnAPerfectNetworkCauseNoRetransmission() {
        StringBuilder star = new StringBuilder("switch s\n");
        for (int i = 1; i <= 40; i++) {
            star.append("host h%d\nlink h%d/eth0 s mtu 4200 delay 5us rate 10gbit\n".formatted(i, i));
            star.append("h%d: ip addr add 10.0.0.%d/24 dev eth0\n".formatted(i, i));
            star.append("h%d: rdma link add rxe0 type rxe netdev eth0\n".formatted(i));
        }
        Topology topology = TopologyParser.parse("star", star.toString());
        // So short that what two neighbours may have outstanding fits into the queue of a switch port.
        SimScenario prompt =
                SimScenario.of(1).withMessages(20).withSizes(0, 1024).withPromptApplications();
        RunResult result = new TopologyRun("star", topology, prompt).run();
        assertThat(result.violations()).isEmpty();
        assertThat(result.messages()).as("a ring of 40 pairs").isEqualTo(40 * 2 * 20);
        assertThat(result.retransmitted()).isZero();
        assertThat(result.rnrNaks()).isZero();
    }

    @Test
    void theNumberOfThreadsDoesNotChangeARun() {
        StringBuilder network = new StringBuilder("switch s\nswitch t\nlink s t mtu 4200 delay 3us\n");
        for (int i = 1; i <= 6; i++) {
            network.append("host h%d\nlink h%d/eth0 %s mtu 4200 delay %dus 1us rate 10gbit loss 1%% reorder 1%%\n"
                    .formatted(i, i, i % 2 == 0 ? "s" : "t", i));
            network.append("h%d: ip addr add 10.0.0.%d/24 dev eth0\n".formatted(i, i));
            network.append("h%d: rdma link add rxe0 type rxe netdev eth0\n".formatted(i));
        }
        Topology topology = TopologyParser.parse("two switches", network.toString());
        for (int seed = 0; seed < 3; seed++) {
            SimScenario prompt = SimScenario.of(seed).withMessages(20).withPromptApplications();
            RunResult one = run(topology, prompt, TrafficPattern.ALL, 1);
            assertThat(one.retransmitted()).isPositive();
            assertThat(one.messages()).isEqualTo(6 * 5 * 20);
            assertThat(run(topology, prompt, TrafficPattern.ALL, 2)).hasToString(one.toString());
            assertThat(run(topology, prompt, TrafficPattern.ALL, 3)).hasToString(one.toString());
        }
    }

    private static RunResult run(Topology topology, SimScenario scenario, TrafficPattern pattern, int threads) {
        RunResult result = new TopologyRun("test", topology, scenario)
                .pattern(pattern)
                .threads(threads)
                .run();
        assertThat(result.violations()).isEmpty();
        return result;
    }

    @Test
    void requestsForLinkAddressesDoNotFillTheQueuesOfASwitch() {
        StringBuilder star = new StringBuilder("switch s\n");
        for (int i = 1; i <= 30; i++) {
            star.append("host h%d\nlink h%d/eth0 s mtu 4200 limit 20 delay 5us rate 10gbit\n".formatted(i, i));
            star.append("h%d: ip addr add 10.0.0.%d/24 dev eth0\n".formatted(i, i));
            star.append("h%d: rdma link add rxe0 type rxe netdev eth0\n".formatted(i));
        }
        // The 60 requests of a ring are more than a queue holds, the messages of two neighbours are fewer.
        SimScenario few = SimScenario.of(1).withMessages(2).withSizes(0, 1024).withPromptApplications();
        RunResult result = new TopologyRun("star", TopologyParser.parse("star", star.toString()), few).run();
        assertThat(result.violations()).isEmpty();
        assertThat(result.messages()).isEqualTo(30 * 2 * 2);
        assertThat(result.network().count(LinkEvent.QUEUE_FULL)).isZero();
        assertThat(result.retransmitted()).isZero();
    }

    @Test
    void aCaptureHasTheFramesAndChangesNothing() throws IOException {
        RunResult without = run(example(), SimScenario.of(3));
        Path file = directory.resolve("run.pcap");
        try (PcapWriter writer = new PcapWriter(file, LinkType.ETHERNET)) {
            assertThat(new TopologyRun("test", example(), SimScenario.of(3))
                            .capture(writer)
                            .run())
                    .hasToString(without.toString());
        }
        assertThat(Files.size(file)).isGreaterThan(100 * without.packets());
    }

    @Test
    void whatCannotBeRunIsRefusedAndNamed() {
        assertRefused("host a\nhost b\nlink a/eth0 b/eth0", SimScenario.of(1), "of its hosts, 0 have RDMA devices");
        assertRefused("host a\na: ip addr add 10.0.0.1/24 dev eth9", SimScenario.of(1), "test:2: ip addr add");
        assertRefused(ROUTED.replace("4200", "1500"), SimScenario.of(1).withPathMtu(Mtu.MTU_2048), "let pass 1024");
    }

    @Test
    void aCommandThatTakesTheLatencyFromALinkIsRefused() {
        String delayed = ROUTED.replace("loss 1%", "").replace("reorder 5%", "delay 20us");
        SimScenario prompt = SimScenario.of(1).withPromptApplications();
        assertRefused(delayed + "b: tc qdisc change dev eth0 root netem delay 10ns\n", prompt, "b/eth0: a command has");
    }

    private static void assertRefused(String text, SimScenario scenario, String message) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> new TopologyRun("test", TopologyParser.parse("test", text), scenario).run())
                .withMessageContaining(message);
    }
}
