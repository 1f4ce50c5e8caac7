// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Rdma;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Performance tests whose queue pairs or exchange are of rdma_cm, both ends on the device of this process. */
@Timeout(180)
@ProvedOn("device")
class PerftestCmTest {
    private static Context device;
    private static String address;

    private final int port = ToolThread.freePort();

    @BeforeAll
    static void theLoopbackDeviceHasAnAddress() {
        device = Rdma.open("rxe_lo");
        address = device.queryGid(1, 0).toInetAddress().getHostAddress();
    }

    @AfterAll
    static void close() {
        device.close();
    }

    /** Runs both ends; both must succeed. Returns the server's lines, then the client's. */
    private List<List<String>> play(String command) throws InterruptedException {
        ToolThread server = ToolThread.start((command + " -p " + port + " --bind_source_ip " + address).split(" "))
                .awaitOutput("Waiting for client to connect");
        ToolThread client = ToolThread.start((command + " -p " + port + " " + address).split(" "));
        for (ToolThread end : List.of(client, server)) {
            assertThat(end.exitCode()).as("%s %s", end.out(), end.err()).isZero();
            assertThat(end.err()).isEmpty();
        }
        return List.of(server.out(), client.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_send_lat -R -n 20",
                "ib_send_lat -R -c UD -s 100 -n 20",
                "ib_write_lat -R -n 20",
                "ib_read_lat -R -T 32 -n 20",
                "ib_atomic_lat -R -n 20",
                "ib_send_bw -R -q 3 -s 1024 -n 100",
                "ib_send_bw -R -c UD -s 512 -t 8 -n 100",
                "ib_send_bw -R -c UD -b -s 512 -t 8 -n 100",
                "ib_send_bw -R -b -s 1024 -n 100",
                "ib_write_bw -R -q 2 -s 1024 -n 100",
                "ib_read_bw -R -s 4096 -n 100",
                "ib_write_bw -R --reversed -s 512 -n 100"
            })
    @Covers("TOOL-64")
    void rdmaCmConnectsTheQueuePairs(String command) throws InterruptedException {
        for (List<String> lines : play(command)) {
            assertThat(lines)
                    .contains(" rdma_cm QPs\t : ON")
                    .anyMatch(line -> line.startsWith(" Data ex. method : rdma_cm"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_lat -z -n 20", "ib_write_bw -z -c UC -s 1024 -n 100"})
    @Covers("TOOL-65")
    void theExchangeGoesOverRdmaCm(String command) throws InterruptedException {
        for (List<String> lines : play(command)) {
            assertThat(lines).contains(" rdma_cm QPs\t : OFF", " Data ex. method : rdma_cm");
        }
    }

    @Test
    void theTypeOfServiceIsPrinted() throws InterruptedException {
        assertThat(play("ib_send_lat -R -T 32 -n 20"))
                .allSatisfy(lines -> assertThat(lines).contains(" Data ex. method : rdma_cm \tTOS    : 32"));
    }

    @Test
    void withoutServerTheRejectionIsTold() throws InterruptedException {
        ToolThread client = ToolThread.start(("ib_send_lat -R -p " + port + " " + address).split(" "));
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).anyMatch(line -> line.contains("RDMA_CM_EVENT_REJECTED, error 8"));
    }

    @ParameterizedTest
    @CsvSource({"-n 10, -n 10 -q 2"})
    void endsWithOtherOptionsEnd(String ofServer, String ofClient) throws InterruptedException {
        ToolThread server = ToolThread.start(
                        ("ib_write_bw -R " + ofServer + " -p " + port + " --bind_source_ip " + address).split(" "))
                .awaitOutput("Waiting for client to connect");
        ToolThread client = ToolThread.start(("ib_write_bw -R " + ofClient + " -p " + port + " " + address).split(" "));
        assertThat(List.of(server.exitCode(), client.exitCode())).contains(1);
    }
}
