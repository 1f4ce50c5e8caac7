package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.testing.ledger.Covers;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two processes over IPv6. Linux has one IPv6 loopback address only, so the test makes a network namespace with two; where it
 * may not, it is skipped and says so.
 */
@Timeout(120)
class Ipv6PingPongTest {
    private static final String SERVER = "fd00::1";
    private static final String CLIENT = "fd00::2";
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final String namespace = "rdma4j-test-" + ProcessHandle.current().pid();
    private final StringWriter output = new StringWriter();

    @BeforeEach
    void makeTheNamespace() throws Exception {
        assumeTrue(
                ip("netns", "add", namespace),
                () -> "no network namespace can be made here (needs Linux, ip(8) and root): " + output);
        assertThat(ip("-n", namespace, "link", "set", "lo", "up"))
                .as(output::toString)
                .isTrue();
        for (String address : List.of(SERVER, CLIENT)) {
            assertThat(ip("-n", namespace, "addr", "add", address + "/128", "dev", "lo", "nodad"))
                    .as(output::toString)
                    .isTrue();
        }
    }

    @AfterEach
    void removeTheNamespace() throws Exception {
        ip("netns", "del", namespace);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-s 4096 -c -n 300", "-s 1 -c -n 300", "-s 1048576 -c -n 20", "-m 256 -c -n 200", "-e -c -n 200"
            })
    @Covers({"TOOL-1", "TOOL-2"})
    void bothEndsEndWell(String options) throws Exception {
        try (ToolProcess server = pingPong("server", SERVER, options)) {
            assertThat(server.awaitLine("local address:", LIMIT_NS))
                    .as(output::toString)
                    .get()
                    .asString()
                    .endsWith("GID " + SERVER);
            try (ToolProcess client = pingPong("client", CLIENT, options + " " + SERVER)) {
                assertThat(client.awaitExit(LIMIT_NS)).as(output::toString).isEqualTo(OptionalInt.of(0));
                assertThat(server.awaitExit(LIMIT_NS)).as(output::toString).isEqualTo(OptionalInt.of(0));
                assertThat(client.awaitLine("remote address:", 0))
                        .get()
                        .asString()
                        .endsWith("GID " + SERVER);
                assertThat(server.awaitLine("remote address:", 0))
                        .get()
                        .asString()
                        .endsWith("GID " + CLIENT);
            }
        }
    }

    private ToolProcess pingPong(String label, String address, String options) throws IOException {
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        command.addAll(ToolProcess.jvm());
        command.addAll(List.of("ibv_rc_pingpong", "--device", "rxe0=udp:" + address));
        command.addAll(Arrays.asList(options.split(" ")));
        return ToolProcess.start(label, new PrintWriter(output, true), command);
    }

    private boolean ip(String... words) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        try (ToolProcess ip = ToolProcess.start("ip", new PrintWriter(output, true), command)) {
            return ip.awaitExit(LIMIT_NS).equals(OptionalInt.of(0));
        } catch (IOException e) {
            output.append(e.getMessage());
            return false;
        }
    }
}
