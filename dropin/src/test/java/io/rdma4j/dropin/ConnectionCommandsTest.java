// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections by the commands that librdmacm writes to {@code /dev/infiniband/rdma_cm}. */
class ConnectionCommandsTest {
    @TempDir
    private Path run;

    private Process start(String... arguments) throws Exception {
        return CPrograms.start(
                "connections", Map.of("LD_PRELOAD", "libibverbs.so.1", "RDMA4J_RUN", run.toString()), arguments);
    }

    private static String lineWith(String start, BufferedReader from) {
        return from.lines()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the program ended without '" + start + "'"));
    }

    @Test
    @Covers({"DROPIN-42", "DROPIN-43", "DROPIN-44", "DROPIN-45", "DROPIN-46"})
    void bothEndsOfAProcessConnectRejectAndJoin() throws Exception {
        String said = CPrograms.output(start());
        List<String> lines = said.lines().toList();

        assertThat(lines.stream().filter(line -> line.startsWith("passed: ")))
                .as(said)
                .hasSize(7);
    }

    @Test
    @Covers("DROPIN-47")
    void twoProcessesConnectAndTheEndOfOneDisconnects() throws Exception {
        Process server = start("server");
        try (BufferedReader from = server.inputReader()) {
            String[] words = lineWith("listening ", from).split(" ", 3);
            String client = CPrograms.output(start(words[1], words[2]));

            assertThat(client).endsWith("passed: client\n");
            assertThat(lineWith("passed: ", from)).isEqualTo("passed: server");
            assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
    }
}
