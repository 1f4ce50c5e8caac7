// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.ProvedOn;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two processes of one machine that communicate through shared memory. */
@ProvedOn("carrier:shm")
@Timeout(180)
class SharedMemoryProcessesTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int ROUNDS = 2000;

    /** How often a process of each tool is killed. */
    private static final int KILLS = Integer.getInteger("kills", 1);

    private static final long MOST_BEFORE_KILL_NS = TimeUnit.MILLISECONDS.toNanos(700);
    private static final int MESSAGE_BYTES = 4096;

    /** Column of {@code OutOctets} in the line {@code IpExt} of {@code /proc/net/netstat}. */
    private static final int OUT_OCTETS = 8;

    private static final String OFF = "-Drdma4j.shm=off";
    private static final String ON = "-Drdma4j.shm=on";

    private final StringWriter output = new StringWriter();
    private final PrintWriter out = new PrintWriter(output, true);
    private final String port = Integer.toString(ToolThread.freePort());

    /**
     * In a separate network namespace the counters include no other traffic. A wake-up datagram to a peer counts too,
     * with one byte at most.
     */
    @Test
    void hardlyAByteOfAPingPongGoesByTheSocket() throws Exception {
        try (TestNamespace namespace = new TestNamespace()) {
            long before = bytesSent(namespace);
            pingPong(namespace, ON, "-c");
            long through = bytesSent(namespace) - before;
            assertThat(through).isLessThan(2 * ROUNDS * MESSAGE_BYTES / 10);
            pingPong(namespace, OFF, "-c");
            assertThat(bytesSent(namespace) - before - through).isGreaterThanOrEqualTo(2 * ROUNDS * MESSAGE_BYTES);
        }
    }

    @Test
    void processesThatSleepAreWoken() throws Exception {
        try (TestNamespace namespace = new TestNamespace()) {
            pingPong(namespace, ON, "-e");
        }
    }

    private void pingPong(TestNamespace namespace, String option, String mode) throws Exception {
        List<String> words = List.of("ibv_rc_pingpong", "-g", "0", "-p", port, "-n", "" + ROUNDS, mode, "--device");
        try (ToolProcess server = start(namespace, "server", option, words, "rxe0=udp:127.0.0.1")) {
            assertThat(server.awaitLine("local address:", LIMIT_NS))
                    .as(namespace::output)
                    .isPresent();
            try (ToolProcess client = start(namespace, "client", option, words, "rxe0=udp:127.0.0.2", "127.0.0.1")) {
                assertThat(client.awaitExit(LIMIT_NS)).as(namespace::output).isEqualTo(OptionalInt.of(0));
                assertThat(server.awaitExit(LIMIT_NS)).as(namespace::output).isEqualTo(OptionalInt.of(0));
            }
        }
    }

    private static ToolProcess start(
            TestNamespace namespace, String label, String option, List<String> words, String... further)
            throws IOException {
        List<String> command = ToolProcess.jvm();
        command.add(1, option);
        command.addAll(words);
        command.addAll(List.of(further));
        return namespace.start(label, command);
    }

    /** Number of bytes sent in the namespace, IP headers included. */
    private static long bytesSent(TestNamespace namespace) throws Exception {
        try (ToolProcess cat =
                namespace.start("netstat", List.of("grep", "-E", "^IpExt: [0-9]", "/proc/net/netstat"))) {
            String line = cat.awaitLine("IpExt:", LIMIT_NS).orElseThrow();
            cat.awaitExit(LIMIT_NS);
            return Long.parseLong(line.strip().split(" ", -1)[OUT_OCTETS]);
        }
    }

    @Timeout(600) // twenty kills on a busy machine
    @ParameterizedTest
    @CsvSource({
        "ib_write_bw, true, 65536",
        "ib_write_bw, false, 65536",
        "ib_send_bw, true, 64", // link rings
        "ib_write_bw, false, 4096", // link rings
        "ib_read_bw, false, 1000000"
    })
    void afterAKillThePeerEndsAndTheNextStartLeavesNothing(String tool, boolean killsServer, String size)
            throws Exception {
        long seed = Long.getLong("kill.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int kill = 0; kill < KILLS; kill++) {
            String run = String.format("kill %d of -Dkills=%d -Dkill.seed=%d", kill, KILLS, seed);
            kill(tool, killsServer, size, random.nextLong(MOST_BEFORE_KILL_NS), run);
        }
    }

    private void kill(String tool, boolean killsServer, String size, long afterNs, String run) throws Exception {
        long pid = ProcessHandle.current().pid();
        String network = "127." + (1 + pid / 250 % 250) + "." + (1 + pid % 250) + ".";
        List<String> words = List.of(tool, "-p", port, "-D", "60", "-s", size, "--device");
        try (ToolProcess server = tool("server", words, "rxe0=udp:" + network + 1)) {
            assertThat(server.awaitLine("Waiting for client", LIMIT_NS)).isPresent();
            try (ToolProcess client = tool("client", words, "rxe0=udp:" + network + 2, "127.0.0.1")) {
                assertThat(client.awaitLine("remote address", LIMIT_NS))
                        .as("%s: %s", run, output)
                        .isPresent();
                assertThat(client.awaitExit(afterNs)).as(run).isEmpty();
                List<Path> before = files(network);
                assertThat(before).as(run).hasSizeGreaterThanOrEqualTo(2);
                (killsServer ? server : client).kill();
                OptionalInt code = (killsServer ? client : server).awaitExit(LIMIT_NS);
                assertThat(code).as("%s: %s", run, output).isPresent();
                assertThat(code.getAsInt()).as("%s: %s", run, output).isBetween(1, 127);
                assertThat(output.toString()).as(run).doesNotContain("Exception");
                try (ToolProcess next = tool("next", words, "rxe0=udp:" + network + 3)) {
                    assertThat(next.awaitLine("Waiting for client", LIMIT_NS)).isPresent();
                    assertThat(before).as(run).noneMatch(Files::exists);
                }
            }
        }
    }

    private ToolProcess tool(String label, List<String> words, String... further) throws IOException {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(further));
        return ToolProcess.tool(label, out, all);
    }

    /** Files in shared memory of the processes that serve addresses of a network. */
    private static List<Path> files(String network) throws IOException {
        Path directory = Path.of("/dev/shm/rdma4j-" + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        try (Stream<Path> all = Files.list(directory)) {
            List<Path> files = all.toList();
            List<String> owners = files.stream()
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.contains("_" + network))
                    .map(name -> name.substring(name.lastIndexOf('.')))
                    .toList();
            return files.stream()
                    .filter(file -> owners.stream().anyMatch(owner -> (file + ".").contains(owner + ".")))
                    .toList();
        }
    }
}
