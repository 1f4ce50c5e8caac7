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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three processes: one serves the device, two exchange messages through it. */
@ProvedOn("carrier:served")
@Timeout(300)
class ServedPingPongTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(90);

    private final String port = Integer.toString(ToolThread.freePort());

    @ParameterizedTest
    @ValueSource(strings = {"ibv_rc_pingpong", "ibv_srq_pingpong", "ibv_xsrq_pingpong"})
    @Covers({"UVERBS-43", "UVERBS-54", "XRC-14"})
    void processesExchangeMessagesThroughADeviceThatAThirdOneServes(String tool, @TempDir Path run) throws Exception {
        long pid = ProcessHandle.current().pid();
        String device = "served0=udp:127." + (1 + (pid >> 8) % 254) + "." + (pid & 0xFF) + ".9";
        try (TestNamespace namespace = new TestNamespace();
                ToolProcess owner =
                        start(namespace, "owner", List.of("-Drdma4j.devices=" + device), "uverbs", "--run=" + run)) {
            assertThat(owner.awaitLine("served0 ", LIMIT_NS))
                    .as(namespace::output)
                    .isPresent();
            List<String> options = List.of("-Drdma4j.run=" + run, "-Drdma4j.devices=");
            String[] words = {tool, "-d", "served0", "-g", "0", "-p", port, "-n", "100"};
            try (ToolProcess server = start(namespace, "server", options, words)) {
                assertThat(server.awaitLine("GID ", LIMIT_NS))
                        .as(namespace::output)
                        .isPresent();
                List<String> withPeer = new ArrayList<>(List.of(words));
                withPeer.add("127.0.0.1");
                try (ToolProcess client = start(namespace, "client", options, withPeer.toArray(String[]::new))) {
                    assertThat(client.awaitExit(LIMIT_NS)).as(namespace::output).isEqualTo(OptionalInt.of(0));
                    assertThat(server.awaitExit(LIMIT_NS)).as(namespace::output).isEqualTo(OptionalInt.of(0));
                }
            }
        }
    }

    private static ToolProcess start(TestNamespace namespace, String label, List<String> options, String... words)
            throws IOException {
        List<String> command = ToolProcess.jvm();
        command.addAll(1, options);
        command.addAll(List.of(words));
        return namespace.start(label, command);
    }
}
