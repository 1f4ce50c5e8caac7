// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ends of the ping-pong, with one device each, over real sockets. */
@Timeout(180)
class IbvRcPingPongTest {
    private static final String ADDRESS =
            "LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID ::ffff:127\\.0\\.0\\.\\d+";
    private static final String SECONDS = "in \\d+\\.\\d\\d seconds = \\d+\\.\\d\\d";

    private final int port = ToolThread.freePort();

    /** Runs both ends with the same options; both must succeed. */
    private List<ToolThread> play(String... options) throws InterruptedException {
        ToolThread server = ToolThread.pingPong(port, options).awaitOutput("local address:");
        ToolThread client = ToolThread.pingPong(
                port, Stream.concat(Stream.of(options), Stream.of("localhost")).toArray(String[]::new));
        assertThat(client.exitCode())
                .as("client: %s %s", client.out(), client.err())
                .isZero();
        assertThat(server.exitCode())
                .as("server: %s %s", server.out(), server.err())
                .isZero();
        return List.of(server, client);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-n 200",
                "-s 1 -n 200",
                "-s 1 -c -n 200",
                "-s 4096 -c -n 200",
                "-s 1048576 -c -n 20",
                "-m 256 -c -n 100",
                "-m 4096 -s 10000 -c -n 100",
                "-e -c -n 100",
                "-e -t -c -n 50",
                "-N -c -n 200",
                "-N -s 1 -c -n 200",
                "-t -n 100",
                "-o -c -n 100",
                "-j -c -n 100",
                "-j -c -N -s 9000 -n 100",
                "-r 1 -c -n 100",
                "-r 2 -c -n 100",
                "-l 3 -g 0 -i 1 -n 100"
            })
    @Covers({"TOOL-1", "TOOL-2", "TOOL-10", "TOOL-13", "TOOL-14", "TOOL-15"})
    void bothEndsEndWell(String options) throws InterruptedException {
        for (ToolThread end : play(options.split(" "))) {
            assertThat(end.err()).isEmpty();
        }
    }

    @Test
    @Covers({"TOOL-11", "TOOL-16"})
    void theOutputIsThatOfTheOriginal() throws InterruptedException {
        List<ToolThread> ends = play("-n", "100");
        for (ToolThread end : ends) {
            assertThat(end.out()).hasSize(4);
            assertThat(end.out().get(0)).matches("  local address:  " + ADDRESS);
            assertThat(end.out().get(1)).matches("  remote address: " + ADDRESS);
            assertThat(end.out().get(2)).matches("819200 bytes " + SECONDS + " Mbit/sec");
            assertThat(end.out().get(3)).matches("100 iters " + SECONDS + " usec/iter");
        }
        String serversLocal = ends.get(0).out().get(0);
        String clientsRemote = ends.get(1).out().get(1);
        assertThat(clientsRemote.substring(clientsRemote.indexOf("LID")))
                .isEqualTo(serversLocal.substring(serversLocal.indexOf("LID")));
        assertThat(psn(clientsRemote)).isNotEqualTo(psn(ends.get(0).out().get(1)));
    }

    private static String psn(String line) {
        return line.replaceAll(".*PSN (0x[0-9a-f]{6}).*", "$1");
    }

    @Test
    void timestampsAddThreeLines() throws InterruptedException {
        for (ToolThread end : play("-t", "-n", "100")) {
            assertThat(end.out()).hasSize(7);
            assertThat(end.out().get(4)).matches("Max receive completion clock cycles = \\d+");
            assertThat(end.out().get(5)).matches("Min receive completion clock cycles = \\d+");
            assertThat(end.out().get(6)).matches("Average receive completion clock cycles = \\d+\\.\\d{6}");
        }
    }

    @Test
    void aReportShowsTheDistributionOfTheRoundTrips(@TempDir Path directory) throws Exception {
        Path page = directory.resolve("report.html");
        for (ToolThread end : play("-n", "100", "--report", page.toString())) {
            assertThat(end.err()).isEmpty();
        }
        assertThat(Files.readString(page))
                .contains("data-spec=", "round trip, µs", "<th>average µs</th>", "<dt>path MTU</dt>");
    }

    @Test
    void jsonIsOneDocument() throws InterruptedException {
        ToolThread server = ToolThread.pingPong(port, "-n", "10").awaitOutput("local address:");
        ToolThread client = ToolThread.pingPong(port, "-n", "10", "-t", "--json", "localhost");
        assertThat(client.exitCode()).isZero();
        assertThat(server.exitCode()).isZero();
        assertThat(client.out()).hasSize(1);
        assertThat(client.out().getFirst())
                .startsWith("{\"local\":{\"lid\":0,\"qpn\":")
                .contains("\"remote\":{", "\"size\":4096,\"iterations\":10,\"bytes\":81920,", "\"min_ns\":")
                .endsWith("\"invalid_pages\":[]}");
    }

    @Test
    void wrongDataIsToldByPageAndFails() throws InterruptedException {
        // A client without -c does not write the pattern.
        ToolThread server =
                ToolThread.pingPong(port, "-c", "-s", "9000", "-n", "10").awaitOutput("local address:");
        ToolThread client = ToolThread.pingPong(port, "-s", "9000", "-n", "10", "localhost");
        assertThat(client.exitCode()).isZero();
        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.out()).endsWith("invalid data in page 0", "invalid data in page 1", "invalid data in page 2");
    }

    @Test
    void wrongDataInDeviceMemoryIsTold() throws InterruptedException {
        ToolThread server = ToolThread.pingPong(port, "-c", "-j", "-n", "10").awaitOutput("local address:");
        ToolThread client = ToolThread.pingPong(port, "-j", "-n", "10", "localhost");
        assertThat(client.exitCode()).isZero();
        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.out()).endsWith("invalid data in page 0");
    }

    @Test
    @Covers("TOOL-4")
    void anUnknownDeviceIsReported() throws InterruptedException {
        ToolThread client = ToolThread.start("ibv_rc_pingpong", "-d", "mlx5_0", "localhost");
        assertThatFails(client, "IB device mlx5_0 not found");
    }

    @Test
    void aPortThatIsNotThereIsReported() throws InterruptedException {
        assertThatFails(ToolThread.pingPong(port, "-i", "2"), "Failed to modify QP to INIT");
    }

    @Test
    void aGidIndexBeyondTheTableIsReported() throws InterruptedException {
        assertThatFails(ToolThread.pingPong(port, "-g", "100000"), "can't read sgid of index 100000");
    }

    @Test
    void aQueueThatIsTooDeepIsReported() throws InterruptedException {
        assertThatFails(ToolThread.pingPong(port, "-r", "2000000"), "Couldn't create CQ");
    }

    @Test
    @Covers("TOOL-10")
    void aPeerWithoutGidCannotBeConnectedOnEthernet() throws Exception {
        ToolThread server = ToolThread.pingPong(port).awaitOutput("local address:");
        try (Socket client = new Socket("localhost", port)) {
            String nowhere = "0000:000011:000001:" + "0".repeat(32) + "\0";
            client.getOutputStream().write(nowhere.getBytes(StandardCharsets.US_ASCII));
            assertThat(client.getInputStream().read()).isNegative();
        }
        assertThatFails(server, "Failed to modify QP to RTR");
        assertThat(server.err()).element(1).isEqualTo("Couldn't connect to remote QP");
    }

    @Test
    void nobodyListens() throws InterruptedException {
        assertThatFails(ToolThread.pingPong(port, "localhost"), "Couldn't connect to localhost:" + port);
    }

    private static void assertThatFails(ToolThread tool, String message) throws InterruptedException {
        assertThat(tool.exitCode()).isEqualTo(1);
        assertThat(tool.err()).startsWith(message);
    }
}
