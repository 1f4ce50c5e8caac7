// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.BurstLoss;
import io.rdma4j.links.LinkStats;
import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.tools.Main;
import io.rdma4j.tools.cli.Tool;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimCommandTest {
    private static final String SUMMARY = "\\d+ runs, \\d+ messages, \\d+ packets, \\d+ retransmitted, \\d+ violations";

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Main main = new Main(new PrintWriter(out, true), new PrintWriter(err, true));

    @Test
    void aBadNetworkDoesNoHarm() {
        assertThat(sim("--seed 7 --runs 20 --loss 0.1 --dup 0.05 --reorder 0.1 --corrupt 0.02 --messages 20"))
                .isZero();
        assertThat(out.toString().lines())
                .singleElement()
                .asString()
                .matches(SUMMARY)
                .startsWith("20 runs, 800 messages, ")
                .endsWith(" retransmitted, 0 violations");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void allOptionsHaveAnEffect() {
        List<SimScenario> scenarios = new ArrayList<>();
        run(
                scenarios,
                "--seed 0x10 --runs 3 --loss 0.1 --dup 0.2 --reorder 0.3 --corrupt 0.4 --messages 5 --size 6-7 --mtu"
                        + " 512 --latency 2ms --bandwidth 3M --ecn 5000 --out-of-order");
        assertThat(scenarios).extracting(SimScenario::seed).containsExactly(16L, 17L, 18L);
        assertThat(scenarios).allSatisfy(scenario -> {
            assertThat(scenario.link().loss()).isEqualTo(0.1);
            assertThat(scenario.link().duplication()).isEqualTo(0.2);
            assertThat(scenario.link().reordering()).isEqualTo(0.3);
            assertThat(scenario.link().corruption()).isEqualTo(0.4);
            assertThat(scenario.messages()).isEqualTo(5);
            assertThat(scenario.minBytes()).isEqualTo(6);
            assertThat(scenario.maxBytes()).isEqualTo(7);
            assertThat(String.valueOf(scenario.pathMtu())).isEqualTo("MTU_512");
            assertThat(scenario.link().latencyNs()).isEqualTo(2_000_000);
            assertThat(scenario.link().bitsPerSecond()).isEqualTo(3_000_000);
            assertThat(scenario.placesOutOfOrder()).isTrue();
            assertThat(scenario.link().ecnBytes()).isEqualTo(5000);
            assertThat(scenario.controlsCongestion()).isTrue();
        });
    }

    @Test
    void aReportHasAPointForEachRun() throws IOException {
        Path page = directory.resolve("report.html");
        assertThat(sim("--runs 3 --report " + page)).isZero();
        assertThat(Files.readString(page)).contains("[1.0,2.0,3.0]", "retransmitted", "virtual time, ms", "<td>3</td>");
    }

    @Test
    void programsSurviveABadNetwork() {
        assertThat(sim("--programs --seed 1 --runs 10 --loss 0.05 --gilbert 0.005,0.2 --messages 20 --size 0-9000"))
                .isZero();
        assertThat(out.toString().lines())
                .singleElement()
                .asString()
                .matches(SUMMARY)
                .startsWith("10 runs, ")
                .endsWith(" retransmitted, 0 violations");
    }

    @Test
    void burstsAndProgramsAreSeenAgain() {
        List<SimScenario> scenarios = new ArrayList<>();
        run(scenarios, "--programs --runs 1 --gilbert 0.01,0.25 --out-of-order --bandwidth 1G --ecn 9000", 1);
        assertThat(scenarios.getFirst().link().bursts()).isEqualTo(new BurstLoss(0.01, 0.25));
        assertThat(scenarios.getFirst().maxBytes()).isEqualTo(8 << 20);
        String again = out.toString()
                .lines()
                .filter(line -> line.contains("./rdma4j sim --programs "))
                .findFirst()
                .orElseThrow();
        List<SimScenario> repeated = new ArrayList<>();
        run(repeated, again.substring(again.indexOf(" sim ") + 5));
        assertThat(repeated).containsExactly(scenarios.getFirst());
    }

    @Test
    void aViolationIsExitCodeOneAndTellsHowToSeeItAgain() {
        List<SimScenario> scenarios = new ArrayList<>();
        assertThat(run(scenarios, "--seed 3 --runs 3 --loss 0.125 --size 10-20 --mtu 256", 4))
                .isEqualTo(1);
        List<String> lines = out.toString().lines().toList();
        assertThat(lines)
                .contains("event 59", "violation in seed 4: after 1 us: wrong")
                .doesNotContain("event 0");
        assertThat(lines).last().isEqualTo("3 runs, 30 messages, 300 packets, 60 retransmitted, 1 violations");
        String again = lines.stream()
                .filter(line -> line.contains("./rdma4j sim "))
                .findFirst()
                .orElseThrow();
        List<SimScenario> repeated = new ArrayList<>();
        run(repeated, again.substring(again.indexOf(" sim ") + 5));
        assertThat(repeated).containsExactly(scenarios.get(1));
    }

    @Test
    void aRunThatGoesWrongIsRunAgainForItsPackets() {
        List<SimScenario> scenarios = new ArrayList<>();
        run(scenarios, "--seed 3 --runs 3", 4);
        Path capture = directory.resolve("sim-seed-4.pcap");
        assertThat(scenarios).extracting(SimScenario::seed).containsExactly(3L, 4L, 4L, 5L);
        assertThat(capture).exists();
        assertThat(out.toString().lines()).contains("its packets: " + capture);
        assertThat(directory).isDirectoryNotContaining("glob:**sim-seed-[35].pcap");
    }

    @Test
    void whoRecordsEverythingNeedsNoSecondRun() {
        List<SimScenario> scenarios = new ArrayList<>();
        run(scenarios, "--seed 4 --runs 1 --pcap " + directory.resolve("all.pcap"), 4);
        assertThat(scenarios).hasSize(1);
        assertThat(out.toString()).doesNotContain("its packets");
    }

    @Test
    void theNetworkMayBeThatOfATopologyFile() {
        assertThat(sim("--topology ../docs/examples/two-hosts.topo --seed 5 --runs 3 --messages 20"))
                .isZero();
        assertThat(out.toString().lines())
                .singleElement()
                .asString()
                .matches(SUMMARY)
                .startsWith("3 runs, 120 messages, ")
                .endsWith(" retransmitted, 0 violations");
    }

    @Test
    void aViolationOnATopologyNamesTheFileAndNoFaults() {
        List<SimScenario> scenarios = new ArrayList<>();
        run(scenarios, "--topology bad.topo --seed 3 --runs 2 --messages 7 --mtu 512 --out-of-order", 4);
        assertThat(out.toString().lines())
                .contains("to see it again: ./rdma4j sim --topology bad.topo --seed 4 --runs 1 --messages 7"
                        + " --size 0-8192 --mtu 512 --out-of-order");
    }

    @Test
    void noRunBeginsWhenTheTimeIsUp() {
        long beginNs = System.nanoTime();
        assertThat(sim("--seconds 1 --messages 1")).isZero();
        assertThat(System.nanoTime() - beginNs).isGreaterThan(1_000_000_000L);
        assertThat(out.toString()).matches("(?s)\\d+ runs, .* 0 violations\\R");
    }

    @Test
    void forgedPacketsDoNoHarm() {
        assertThat(sim("--fuzz --seed 1 --runs 3")).isZero();
        assertThat(out.toString().lines())
                .singleElement()
                .asString()
                .matches(SUMMARY)
                .startsWith("3 runs, ");
    }

    @Test
    void connectionsHaveAnEnd() {
        assertThat(sim("--connections --seed 1 --runs 3 --messages 4")).isZero();
        assertThat(out.toString().lines())
                .singleElement()
                .asString()
                .matches(SUMMARY)
                .startsWith("3 runs, ");
    }

    @Test
    void jsonIsOneDocument() {
        assertThat(run(new ArrayList<>(), "--runs 2 --seed 4 --json -v", 4)).isEqualTo(1);
        assertThat(out.toString().lines())
                .singleElement()
                .asString()
                .startsWith(
                        "{\"runs\":2,\"messages\":20,\"packets\":200,\"retransmitted\":40,\"violations\":[{\"seed\":4,")
                .contains("\"repro\":\"./rdma4j sim --seed 4 --runs 1 ", "sim-seed-4.pcap\"")
                .matches(".*,\"packets_per_cpu_second\":[0-9]+}");
    }

    @Test
    void verboseIsALineForEachRun() {
        assertThat(run(new ArrayList<>(), "--runs 2 -v")).isZero();
        assertThat(out.toString().lines()).hasSize(3).first().asString().startsWith("seed 1: 10 messages, 100 packets");
    }

    @Test
    void thePacketsCanBeDecoded() {
        Path file = directory.resolve("sim.pcap");
        assertThat(sim("--runs 2 --messages 3 --pcap " + file)).isZero();
        String packets = out.toString().split(" ", -1)[4];
        assertThat(main.run("decode", file.toString())).isZero();
        assertThat(out.toString().lines())
                .last()
                .asString()
                .isEqualTo(
                        packets + " packets, " + packets + " RoCE, " + packets + " ICRC ok, 0 ICRC bad, 0 malformed");
    }

    @ParameterizedTest
    @CsvSource({
        "--loss 0.6, --loss=0.6 is not in 0..0.5",
        "--loss lots, --loss=lots is not a number",
        "--dup -0.1, --dup=-0.1 is not in",
        "--gilbert 0.1, '--gilbert=0.1 is not P,Q'",
        "'--gilbert 0.1,0', 'bursts 0.1,0.0 are not P,Q'",
        "'--gilbert 0.5,0.1', loses more than",
        "'--gilbert 2,0.1', is not in 0..1",
        "--corrupt NaN, --corrupt=NaN is not in",
        "--runs 0, --runs=0 is not in",
        "--messages 0, --messages=0 is not in",
        "--size 20-10, sizes 20-10",
        "--size many, --size=many is not MIN-MAX",
        "--mtu 1500, MTU 1500 is none of",
        "--latency 10, --latency=10 is not a time",
        "--bandwidth fast, --bandwidth=fast is not a rate",
        "--ecn 1000, --ecn needs a --bandwidth",
        "--bandwidth 1G --ecn 0, --ecn=0 is not in",
        "--seed x, --seed=x is not a number",
        "--seconds 0, --seconds=0 is not in",
        "--programs --fuzz, --programs and --fuzz are two things",
        "--connections --topology x, --connections does not go with --topology",
        "--fuzz --connections, --fuzz and --connections are two things",
        "--topology x --loss 0.1, --loss does not go with --topology",
        "--topology x --pattern star, '--pattern=star is not one of ring, all, permutation, incast'",
        "--pattern all, --pattern needs a --topology",
        "--topology x --threads 2, --threads needs --topology and --prompt",
        "--fuzz --topology x, --fuzz does not go with --topology",
        "extra, is one argument too many"
    })
    void nonsenseIsWrongUsageAndNamed(String arguments, String message) {
        assertThat(sim(arguments)).isEqualTo(2);
        assertThat(err.toString()).startsWith("sim: ").contains(message);
        assertThat(out.toString()).isEmpty();
    }

    private int sim(String arguments) {
        return main.run(("sim " + arguments).split(" ", -1));
    }

    /** Runs the command with generated results: a violation for the given seeds. */
    private int run(List<SimScenario> scenarios, String arguments, long... violated) {
        SimCommand command = new SimCommand(
                (scenario, kind, capture) -> {
                    scenarios.add(scenario);
                    boolean bad = IntStream.range(0, violated.length).anyMatch(i -> violated[i] == scenario.seed());
                    return result(scenario, bad);
                },
                directory);
        Tool tool = new Tool("sim", "a test", _ -> command);
        return new Main(List.of(tool), new PrintWriter(out, true), new PrintWriter(err, true))
                .run(("sim " + arguments).split(" ", -1));
    }

    private static RunResult result(SimScenario scenario, boolean violated) {
        return new RunResult(
                scenario,
                10,
                0,
                100,
                20,
                0,
                0,
                0,
                new LinkStats(),
                1,
                1,
                violated ? List.of("after 1 us: wrong") : List.of(),
                violated ? IntStream.range(0, 60).mapToObj(i -> "event " + i).toList() : List.of());
    }
}
