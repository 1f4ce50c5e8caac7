// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The README's two processes that connect by address and port, in two network namespaces. */
@Timeout(300)
class CmTwoMachinesTest {
    private static final OptionalInt REFUSED = OptionalInt.of(255);

    @TempDir
    private Path folder;

    @Test
    @Covers("RCM-4")
    @ProvedOn("carrier:udp")
    void rpingConnectsTwoMachinesAsTheReadmePrints() throws Exception {
        try (TwoMachines machines = new TwoMachines(folder);
                ToolProcess server = machines.first("rping", "-s", "-v", "-a", "10.99.0.1")) {
            machines.awaitDevice();
            OptionalInt exit = REFUSED;
            // The device is open before the server listens.
            while (exit.equals(REFUSED)) {
                try (ToolProcess client = machines.second("rping", "-c", "-v", "-a", "10.99.0.1", "-C", "3")) {
                    exit = client.awaitExit(TwoMachines.LIMIT_NS);
                }
            }
            assertThat(exit).as(machines::output).isEqualTo(OptionalInt.of(0));
            assertThat(server.awaitExit(TwoMachines.LIMIT_NS))
                    .as(machines::output)
                    .isEqualTo(OptionalInt.of(0));
            assertThat(machines.output())
                    .contains("a | server ping data: rdma-ping-0: ABCDEFGHIJ")
                    .contains("b | ping data: rdma-ping-0: ABCDEFGHIJ")
                    .contains("b | ping data: rdma-ping-2: CDEFGHIJKL");
        }
    }
}
