// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the experiment of the documents: {@code ibv_rc_pingpong -g 2}, 4096 bytes 1000 times, both ends on one host,
 * each on the device of a network interface with three addresses. The result is printed and not checked, because it
 * depends on the machine and its load.
 */
@ProvedOn("carrier:udp")
@Timeout(300)
class LiteralExperimentTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(120);
    private static final Pattern FIGURE = Pattern.compile("= ([0-9.]+) usec/iter");

    /** Result of kernel Soft-RoCE in the documents, on another machine. */
    private static final double KERNEL_USEC = 61.84;

    @TempDir
    private Path folder;

    /** Runs it with default JVM options, and with those of the launcher. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Covers({"PERF-1", "PERF-2", "PERF-3"})
    void thePingPongOfTheDocumentsPrintsItsFigureAtBothEnds(boolean launcher) throws IOException, InterruptedException {
        try (TestNamespace first = new TestNamespace("-a");
                TestNamespace second = new TestNamespace("-b")) {
            first.ip("link add left0 type veth peer name right0 netns " + second.name());
            addresses(first, "left0", 1);
            addresses(second, "right0", 2);
            first.awaitUp("left0");
            second.awaitUp("right0");
            try (ToolProcess server = start(first, "server", launcher, "ibv_rc_pingpong", "-g", "2")) {
                assertThat(server.awaitLine("local address:", LIMIT_NS))
                        .as(first::output)
                        .isPresent();
                try (ToolProcess client =
                        start(second, "client", launcher, "ibv_rc_pingpong", "-g", "2", "10.97.0.1")) {
                    assertThat(client.awaitExit(LIMIT_NS)).as(second::output).isEqualTo(OptionalInt.of(0));
                    assertThat(server.awaitExit(LIMIT_NS)).as(first::output).isEqualTo(OptionalInt.of(0));
                }
            }
            tell("server", first.output(), launcher);
            tell("client", second.output(), launcher);
        }
    }

    /**
     * The lines of the documents, both ends on one interface: LID 0, GID ::ffff:192.168.2.30, and numbers of 24 bits
     * that differ from run to run, as QPN 0x1e and 0x1f, PSN 0x73a317 and 0x0fd152 there.
     */
    @Test
    @Covers("PERF-4")
    void bothEndsPrintTheAddressesOfTheDocuments() throws IOException, InterruptedException {
        try (TestNamespace machine = new TestNamespace("-one")) {
            machine.ip("link add wlp7s0 type veth peer name right0");
            machine.ip("link set wlp7s0 addrgenmode none");
            machine.ip("addr add 192.168.2.30/24 dev wlp7s0");
            machine.ip("link set right0 up");
            machine.ip("link set wlp7s0 up");
            machine.awaitUp("wlp7s0");
            List<String> options = List.of("-Drdma4j.run=" + folder.resolve("one"));
            List<String> words = List.of("ibv_rc_pingpong", "-d", "rxe_wlp7s0", "-g", "0", "-n", "10");
            try (ToolProcess server = machine.tool("server", options, words)) {
                assertThat(server.awaitLine("local address:", LIMIT_NS))
                        .as(machine::output)
                        .isPresent();
                List<String> ofClient = new ArrayList<>(words);
                ofClient.add("127.0.0.1");
                try (ToolProcess client = machine.tool("client", options, ofClient)) {
                    assertThat(client.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
                    assertThat(server.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
                }
            }
            String ofServer = address(machine, "server", "local");
            String ofClient = address(machine, "client", "local");
            assertThat(ofServer)
                    .matches("LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID ::ffff:192\\.168\\.2\\.30")
                    .isNotEqualTo(ofClient);
            assertThat(address(machine, "client", "remote")).isEqualTo(ofServer);
            assertThat(address(machine, "server", "remote")).isEqualTo(ofClient);
        }
    }

    private static String address(TestNamespace machine, String side, String which) {
        Matcher line =
                Pattern.compile(side + " \\|   " + which + " address: +(.*)").matcher(machine.output());
        assertThat(line.find()).as(machine.output()).isTrue();
        return line.group(1);
    }

    /** Adds three addresses, so that slot 2 of the GID table exists. */
    private static void addresses(TestNamespace machine, String link, int host) {
        for (int network : new int[] {99, 98, 97}) {
            machine.ip("addr add 10." + network + ".0." + host + "/24 dev " + link);
        }
        machine.ip("link set " + link + " addrgenmode none");
        machine.ip("link set " + link + " up");
    }

    private ToolProcess start(TestNamespace machine, String label, boolean launcher, String... words)
            throws IOException {
        List<String> options =
                List.of("-Drdma4j.run=" + folder.resolve(label + launcher), "-Drdma4j.warmup=" + launcher);
        return machine.tool(label, options, List.of(words));
    }

    private static void tell(String side, String output, boolean launcher) {
        assertThat(output)
                .containsPattern(side + " \\|   local address: .* GID ::ffff:10\\.9[789]\\.0\\.[12]")
                .contains(side + " | 8192000 bytes in ")
                .contains(side + " | 1000 iters in ");
        Matcher figure = FIGURE.matcher(output);
        assertThat(figure.find()).isTrue();
        double usec = Double.parseDouble(figure.group(1));
        System.out.printf(
                "PERF %s, %s: %.2f usec/iter; kernel Soft-RoCE in the documents: %.2f%n",
                side, launcher ? "as the launcher starts it" : "JVM just started", usec, KERNEL_USEC);
    }
}
