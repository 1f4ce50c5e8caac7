// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ends of the ping-pongs with other services or several connections, with one device each, over real sockets. */
@Timeout(180)
class OtherPingPongsTest {
    private static final String ADDRESS =
            "LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}%s GID ::ffff:127\\.0\\.0\\.\\d+";

    private final int port = ToolThread.freePort();

    /** Runs both ends with the same options; both must succeed. */
    private List<ToolThread> play(String tool, String... options) throws InterruptedException {
        ToolThread server = ToolThread.peer(tool, port, options).awaitOutput("local address:");
        String[] withHost =
                Stream.concat(Stream.of(options), Stream.of("localhost")).toArray(String[]::new);
        ToolThread client = ToolThread.peer(tool, port, withHost);
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
                "ibv_uc_pingpong -n 200",
                "ibv_uc_pingpong -c -s 1 -n 200",
                "ibv_uc_pingpong -c -s 20000 -m 4096 -n 50",
                "ibv_uc_pingpong -c -e -n 100",
                "ibv_ud_pingpong -n 200",
                "ibv_ud_pingpong -c -s 1 -n 200",
                "ibv_ud_pingpong -c -e -r 2 -n 100",
                "ibv_srq_pingpong -n 500",
                "ibv_srq_pingpong -o -c -n 100",
                "ibv_srq_pingpong -c -q 1 -n 100",
                "ibv_srq_pingpong -c -q 16 -r 16 -s 9000 -n 500",
                "ibv_srq_pingpong -c -e -q 4 -n 300"
            })
    void bothEndsEndWell(String command) throws InterruptedException {
        String[] words = command.split(" ", 2);
        for (ToolThread end : play(words[0], words[1].split(" "))) {
            assertThat(end.err()).isEmpty();
        }
    }

    @Test
    void datagramsHaveAColonInTheLocalLine() throws InterruptedException {
        for (ToolThread end : play("ibv_ud_pingpong", "-n", "10")) {
            assertThat(end.out()).hasSize(4);
            assertThat(end.out().get(0)).matches("  local address:  " + ADDRESS.formatted(":"));
            assertThat(end.out().get(1)).matches("  remote address: " + ADDRESS.formatted(","));
            assertThat(end.out().get(2)).startsWith("20480 bytes in ");
        }
    }

    @Test
    void eachConnectionHasItsLines() throws InterruptedException {
        for (ToolThread end : play("ibv_srq_pingpong", "-q", "3", "-n", "10")) {
            assertThat(end.out()).hasSize(8);
            assertThat(end.out().subList(0, 3))
                    .allSatisfy(line -> assertThat(line).matches("  local address:  " + ADDRESS.formatted(",")));
            assertThat(end.out().subList(3, 6))
                    .allSatisfy(line -> assertThat(line).matches("  remote address: " + ADDRESS.formatted(",")));
            assertThat(end.out().get(7)).startsWith("10 iters in ");
        }
    }

    @Test
    void aDatagramIsNotLargerThanAPacket() throws InterruptedException {
        ToolThread tool = ToolThread.peer("ibv_ud_pingpong", port, "-s", "5000");
        assertThat(tool.exitCode()).isEqualTo(1);
        assertThat(tool.err()).containsExactly("Requested size larger than port MTU (4096)");
    }

    @Test
    void wrongDataOfADatagramIsToldByPage() throws InterruptedException {
        ToolThread server =
                ToolThread.peer("ibv_ud_pingpong", port, "-c", "-n", "10").awaitOutput("local address:");
        ToolThread client = ToolThread.peer("ibv_ud_pingpong", port, "-n", "10", "localhost");
        assertThat(client.exitCode()).isZero();
        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.out()).endsWith("invalid data in page 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ibv_ud_pingpong", "ibv_srq_pingpong"})
    void aGidIndexBeyondTheTableIsReported(String tool) throws InterruptedException {
        ToolThread end = ToolThread.peer(tool, port, "-g", "100000");
        assertThat(end.exitCode()).isEqualTo(1);
        assertThat(end.err()).startsWith("Could not get local gid for gid index 100000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-n 5", "-n 1", "-e -n 50", "-s 9000 -m 512 -n 20", "-o -n 20"})
    void anXrcPingPongEndsWithSuccess(String options) throws InterruptedException {
        String[] words = options.split(" ");
        ToolThread server = ToolThread.peer("ibv_xsrq_pingpong", port, words).awaitOutput("local:");
        String[] withHost =
                Stream.concat(Stream.of(words), Stream.of("localhost")).toArray(String[]::new);
        ToolThread client = ToolThread.peer("ibv_xsrq_pingpong", port, withHost);
        for (ToolThread end : List.of(client, server)) {
            assertThat(end.exitCode()).as("%s %s", end.out(), end.err()).isZero();
            assertThat(end.out()).hasSize(3).endsWith("success");
            assertThat(end.out().get(1)).startsWith("  remote: LID 0000, QPN RECV ");
        }
    }

    @Test
    void anXrcPingPongPrintsOneJsonDocument() throws InterruptedException {
        ToolThread server =
                ToolThread.peer("ibv_xsrq_pingpong", port, "-n", "3").awaitOutput("local:");
        ToolThread client = ToolThread.peer("ibv_xsrq_pingpong", port, "-n", "3", "--json", "localhost");
        assertThat(client.exitCode()).as("%s", client.err()).isZero();
        assertThat(server.exitCode()).as("%s", server.err()).isZero();
        assertThat(client.out()).hasSize(1);
        assertThat(client.out().getFirst())
                .startsWith("{\"local\":{\"lid\":0,\"recv_qpn\":")
                .contains("\"remote\":{\"lid\":0,", "\"srqn\":")
                .endsWith("\"size\":4096,\"tests\":3,\"success\":true}");
    }

    @Test
    void severalClientsOfAnXrcServerAreRefused() throws InterruptedException {
        ToolThread server = ToolThread.peer("ibv_xsrq_pingpong", port, "-c", "2");
        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.err()).first().asString().contains("start a server for each client");
    }
}
