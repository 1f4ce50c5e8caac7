// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.ProvedOn;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each performance test between two processes. */
@ProvedOn("carrier:udp")
@Timeout(180)
class PerftestProcessesTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final StringWriter output = new StringWriter();
    private final String port = Integer.toString(ToolThread.freePort());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_send_lat",
                "ib_send_bw",
                "ib_write_lat",
                "ib_write_bw",
                "ib_read_lat",
                "ib_read_bw",
                "ib_atomic_lat",
                "ib_atomic_bw"
            })
    void bothEndsEndWell(String tool) throws Exception {
        PrintWriter out = new PrintWriter(output, true);
        try (ToolProcess server =
                ToolProcess.tool("server", out, List.of(tool, "--device", "rxe0=udp:lo", "-p", port, "-n", "100"))) {
            assertThat(server.awaitLine("Waiting for client", LIMIT_NS))
                    .as(output::toString)
                    .isPresent();
            try (ToolProcess client = ToolProcess.tool(
                    "client", out, List.of(tool, "--device", "rxe0=udp:lo", "-p", port, "-n", "100", "localhost"))) {
                assertThat(client.awaitExit(LIMIT_NS)).as(output::toString).isEqualTo(OptionalInt.of(0));
                assertThat(server.awaitExit(LIMIT_NS)).as(output::toString).isEqualTo(OptionalInt.of(0));
            }
        }
    }
}
