// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the command lines of the documents that the project follows, as a user does: by the launcher's main class, on
 * the class path.
 */
@Timeout(300)
class DocumentsCommandsTest {
    private static final long LIMIT_S = 120;

    /** Printed between the outputs of two commands. */
    private static final String MARK = "-----end-of-answer-----";

    @TempDir
    private Path directory;

    @TestFactory
    @Covers("GEN-29")
    Stream<DynamicTest> theNetworkShellAnswersAsTheDocumentsPrint() throws Exception {
        List<CommandBlock> blocks = CommandBlock.parse(resource("documents.commands"));
        List<List<String>> answers = play(blocks);
        return Stream.iterate(0, i -> i < blocks.size(), i -> i + 1)
                .map(i -> DynamicTest.dynamicTest(blocks.get(i).command(), () -> {
                    assertThat(answers).as("answers before the session ended").hasSizeGreaterThan(i);
                    assertThat(blocks.get(i).isAnsweredBy(answers.get(i)))
                            .as("printed: " + String.join("\n", answers.get(i)) + "\nexpected: "
                                    + String.join("\n", blocks.get(i).expected()))
                            .isTrue();
                }));
    }

    /** Runs all commands in one session; returns the output of each. */
    private List<List<String>> play(List<CommandBlock> blocks) throws Exception {
        StringBuilder input = new StringBuilder();
        blocks.forEach(block ->
                input.append(block.command()).append("\necho ").append(MARK).append('\n'));
        Path lines = Files.writeString(directory.resolve("input"), input);
        List<String> command = ToolProcess.jvm();
        command.add(1, "-Drdma4j.run=" + directory);
        command.addAll(List.of("net", "run", topology()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(lines.toFile())
                .start();
        try (BufferedReader output = process.inputReader()) {
            List<String> printed = output.lines().toList();
            assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).isTrue();
            assertThat(printed).isNotEmpty().first().asString().startsWith("network ");
            return answers(printed.subList(1, printed.size()));
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<List<String>> answers(List<String> printed) {
        List<List<String>> answers = new ArrayList<>();
        List<String> current = new ArrayList<>();
        for (String line : printed) {
            if (line.equals(MARK)) {
                answers.add(current);
                current = new ArrayList<>();
            } else {
                current.add(line);
            }
        }
        return answers;
    }

    /**
     * Runs the experiment of the documents: server and client on one machine, over the device of an interface, with
     * {@code -g 2}.
     */
    @Test
    void thePingPongOfTheDocumentsRunsInTheNetwork() throws Exception {
        String port = Integer.toString(freePort());
        StringWriter printed = new StringWriter();
        try (ToolProcess net = ToolProcess.tool(
                "net",
                new PrintWriter(printed, true),
                List.of(
                        "net",
                        "run",
                        topology("a: rdma link add rxe_0 type rxe netdev wlp7s0\n"),
                        "--",
                        "a:",
                        "ibv_rc_pingpong",
                        "-g",
                        "2",
                        "-p",
                        port,
                        "--",
                        "a:",
                        "ibv_rc_pingpong",
                        "-g",
                        "2",
                        "-p",
                        port,
                        "127.0.0.1"))) {
            assertThat(net.awaitExit(TimeUnit.SECONDS.toNanos(LIMIT_S)))
                    .as(printed::toString)
                    .hasValue(0);
        }
        String end = "LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID ::ffff:192.168.2.30";
        assertThat(printed.toString().lines().map(line -> line.replaceFirst("^net \\| a: ", "")))
                .filteredOn(line -> line.matches("  local address:  " + end))
                .hasSize(2);
        assertThat(printed.toString())
                .containsPattern("  remote address: " + end)
                .containsPattern("8192000 bytes in [0-9.]+ seconds = [0-9.]+ Mbit/sec")
                .containsPattern("1000 iters in [0-9.]+ seconds = [0-9.]+ usec/iter");
    }

    /** Runs it in two Linux shells, over a real interface. */
    @Test
    @Covers("GEN-23")
    void thePingPongOfTheDocumentsRunsInTwoShellsOverARealInterface() throws Exception {
        try (TestNamespace namespace = new TestNamespace()) {
            namespace.ip("link add wlp7s0 type veth peer name other");
            namespace.ip("link set wlp7s0 addrgenmode none");
            for (String address : List.of("192.168.2.30/24", "192.168.2.29/24", "192.168.2.28/24")) {
                namespace.ip("addr add " + address + " dev wlp7s0");
            }
            namespace.ip("link set other up");
            namespace.ip("link set wlp7s0 up");
            namespace.awaitUp("wlp7s0");
            List<String> options = List.of("-Drdma4j.run=" + directory);
            long limitNs = TimeUnit.SECONDS.toNanos(LIMIT_S);
            try (ToolProcess server = namespace.tool("server", options, List.of("ibv_rc_pingpong", "-g", "2"))) {
                assertThat(server.awaitLine("local address:", limitNs))
                        .as(namespace::output)
                        .isPresent();
                try (ToolProcess client =
                        namespace.tool("client", options, List.of("ibv_rc_pingpong", "-g", "2", "127.0.0.1"))) {
                    OptionalInt exit = client.awaitExit(limitNs);
                    assertThat(exit).as(namespace::output).hasValue(0);
                    assertThat(server.awaitExit(limitNs)).as(namespace::output).hasValue(0);
                    assertThat(client.awaitLine("remote address:", 0))
                            .as(namespace::output)
                            .hasValueSatisfying(line -> assertThat(line).endsWith("GID ::ffff:192.168.2.30"));
                    assertThat(client.awaitLine("usec/iter", 0))
                            .as(namespace::output)
                            .isPresent();
                }
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private String topology(String... more) throws IOException {
        String text = String.join("\n", resource("documents.topo")) + "\n" + String.join("", more);
        return Files.writeString(directory.resolve("documents.topo"), text).toString();
    }

    private static List<String> resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(DocumentsCommandsTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }
}
