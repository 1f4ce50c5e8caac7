// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A ping-pong with a process that is killed during the exchange. */
@Timeout(120)
class KilledServerTest {
    private static final String GONE = "Failed status transport retry counter exceeded (12) for wr_id 2";

    @ParameterizedTest
    @ValueSource(strings = {"-c", "-e", "-t"})
    @Covers("TOOL-15")
    void theClientEndsWithARetryErrorWhenTheServersProcessIsKilled(String option) throws Exception {
        int port = ToolThread.freePort();
        String endless = Integer.toString(Integer.MAX_VALUE);
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        try (ToolProcess server = ToolProcess.tool(
                "server",
                nowhere,
                List.of("ibv_rc_pingpong", "--device", "rxe0=udp:lo", "-p", "" + port, option, "-n", endless))) {
            assertThat(server.awaitLine("local address:", TimeUnit.SECONDS.toNanos(60)))
                    .isPresent();
            ToolThread client = ToolThread.pingPong(port, option, "-n", endless, "localhost");
            client.awaitOutput("remote address:");
            assertThat(server.awaitExit(TimeUnit.MILLISECONDS.toNanos(300))).isEmpty();
            server.kill();
            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.err()).first().isEqualTo(GONE);
        }
    }
}
