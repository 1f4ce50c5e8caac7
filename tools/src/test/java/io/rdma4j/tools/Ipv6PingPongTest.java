// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two processes over IPv6. Linux has only one IPv6 loopback address, so the test creates a network namespace with two.
 * It is skipped without the permission.
 */
@ProvedOn("carrier:udp")
@Timeout(120)
class Ipv6PingPongTest {
    private static final String SERVER = "fd00::1";
    private static final String CLIENT = "fd00::2";
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    @AutoClose
    private final TestNamespace namespace = new TestNamespace();

    @BeforeEach
    void bothHaveAnAddress() {
        for (String address : List.of(SERVER, CLIENT)) {
            namespace.ip("addr add " + address + "/128 dev lo nodad");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-s 4096 -c -n 300", "-s 1 -c -n 300", "-s 1048576 -c -n 20", "-m 256 -c -n 200", "-e -c -n 200"
            })
    @Covers({"TOOL-1", "TOOL-2"})
    void bothEndsEndWell(String options) throws Exception {
        try (ToolProcess server = pingPong("server", SERVER, options)) {
            assertThat(server.awaitLine("local address:", LIMIT_NS))
                    .as(namespace::output)
                    .get()
                    .asString()
                    .endsWith("GID " + SERVER);
            try (ToolProcess client = pingPong("client", CLIENT, options + " " + SERVER)) {
                assertThat(client.awaitExit(LIMIT_NS)).as(namespace::output).isEqualTo(OptionalInt.of(0));
                assertThat(server.awaitExit(LIMIT_NS)).as(namespace::output).isEqualTo(OptionalInt.of(0));
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
        List<String> words = new ArrayList<>(List.of("ibv_rc_pingpong", "--device", "rxe0=udp:" + address));
        words.addAll(Arrays.asList(options.split(" ")));
        return namespace.tool(label, words);
    }
}
