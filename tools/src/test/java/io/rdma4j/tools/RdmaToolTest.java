// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code rdma} on the machine itself: a Linux network namespace with one interface. */
@Timeout(300)
@ProvedOn("carrier:udp")
class RdmaToolTest {
    private static final long LIMIT_NS = TwoMachines.LIMIT_NS;

    @TempDir
    private Path folder;

    private TestNamespace machine;
    private int calls;

    @BeforeEach
    void plug() {
        machine = new TestNamespace("-rdma");
        machine.ip("link add wlp7s0 type veth peer name right0");
        machine.ip("addr add 192.168.2.30/24 dev wlp7s0");
        machine.ip("addr add fd99::30/64 dev wlp7s0 nodad");
        machine.ip("link set right0 up");
        machine.ip("link set wlp7s0 up");
        machine.awaitUp("wlp7s0");
        machine.awaitNoTentativeAddress("wlp7s0");
    }

    @AfterEach
    void endAll() throws Exception {
        try {
            call(-1, "rdma link delete rxe_0");
        } finally {
            machine.close();
        }
    }

    private ToolProcess start(String label, String words) throws IOException {
        return machine.tool(
                label,
                List.of("-Drdma4j.run=" + folder.resolve("run")),
                new ArrayList<>(Arrays.asList(words.split(" "))));
    }

    /** Runs a tool to its end; returns its output. */
    private List<String> call(int exitCode, String words) throws Exception {
        String label = "call" + ++calls;
        try (ToolProcess process = start(label, words)) {
            OptionalInt code = process.awaitExit(LIMIT_NS);
            assertThat(code).as(machine::output).isPresent();
            if (exitCode >= 0) {
                assertThat(code).as(machine::output).hasValue(exitCode);
            }
        }
        return machine.output()
                .lines()
                .filter(line -> line.startsWith(label + " | "))
                .map(line -> line.substring(label.length() + 3))
                .toList();
    }

    @Test
    @Covers({"TOOL-18", "TOOL-19", "GEN-30"})
    void aLinkThatIsAddedStaysUntilItIsDeletedAndTwoToolsRunOverIt() throws Exception {
        assertThat(call(0, "rdma link")).isEmpty();
        assertThat(call(0, "rdma link add rxe_0 type rxe netdev wlp7s0")).isEmpty();
        assertThat(call(0, "rdma link show"))
                .containsExactly("link rxe_0/1 state ACTIVE physical_state LINK_UP netdev wlp7s0");
        assertThat(call(0, "rdma -j l sh rxe_0/1"))
                .singleElement()
                .asString()
                .startsWith("[{\"ifindex\":0,\"ifname\":\"rxe_0\",\"port\":1,\"state\":\"ACTIVE\"");
        assertThat(call(0, "ibv_devices"))
                .anyMatch(line -> line.contains("rxe_0"))
                .noneMatch(line -> line.contains("wlp7s0"));
        try (ToolProcess server = start("server", "ibv_rc_pingpong -g 2 -n 50 -c")) {
            assertThat(server.awaitLine("local address:", LIMIT_NS))
                    .as(machine::output)
                    .isPresent();
            assertThat(call(0, "rdma resource show qp"))
                    .singleElement()
                    .asString()
                    .startsWith("link rxe_0/1 lqpn ")
                    .contains(" type RC state INIT pdn ")
                    .endsWith("comm main");
            call(0, "ibv_rc_pingpong -g 2 -n 50 -c 127.0.0.1");
            assertThat(server.awaitExit(LIMIT_NS)).as(machine::output).hasValue(0);
        }
        assertThat(call(0, "rdma statistic show link rxe_0/1"))
                .singleElement()
                .asString()
                .startsWith("link rxe_0/1 sent_pkts ");
        assertThat(call(0, "rdma link delete rxe_0")).isEmpty();
        assertThat(call(0, "rdma link")).isEmpty();
    }

    @Test
    void aLinkThatCannotBeIsRefusedWithTheReasonOfTheBackgroundProcess() throws Exception {
        assertThat(call(1, "rdma link add rxe_0 type rxe netdev nosuch0"))
                .singleElement()
                .asString()
                .contains("ENODEV", "there is no network interface \"nosuch0\"");
        assertThat(call(1, "rdma link add rxe_0 type siw netdev wlp7s0").getFirst())
                .contains("siw");
        assertThat(call(1, "rdma link delete rxe_0").getFirst()).contains("ENODEV");
        assertThat(call(255, "rdma system").getFirst()).contains("there is link, dev, statistic and resource");
    }

    /** The first program serves the device to the second one. */
    @Test
    @Covers("TOOL-66")
    void theIdsOfAllProgramsAreShownWithTheirAddresses() throws Exception {
        try (ToolProcess _ = start("first", "rping -s -p 7001");
                ToolProcess _ = start("second", "rping -s -p 7002")) {
            List<String> lines = List.of();
            while (lines.stream().filter(line -> line.startsWith("link ")).count() < 2) {
                TimeUnit.MILLISECONDS.sleep(5);
                lines = call(-1, "rdma resource show cm_id dev rxe_wlp7s0");
            }
            String id = "link rxe_wlp7s0/1 cm-idn 1 state LISTEN ps TCP pid [0-9]+ comm main src-addr 0.0.0.0:700";
            assertThat(lines).hasSize(2).allMatch(line -> line.matches(id + "[12]"));
            assertThat(lines.stream().map(line -> line.replaceFirst(".* pid ", "")))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void theDeviceOfAProgramIsShownWithItsProcessAndCannotBeDeleted() throws Exception {
        try (ToolProcess program = start("program", "ibv_rc_pingpong -d rxe_wlp7s0")) {
            assertThat(program.awaitLine("local address:", LIMIT_NS))
                    .as(machine::output)
                    .isPresent();
            assertThat(call(0, "rdma resource"))
                    .containsExactly("0: rxe_wlp7s0: pd 1 cq 1 qp 1 cm_id 0 mr 1 ctx 1 srq 0");
            assertThat(call(0, "rdma res show ctx dev rxe_wlp7s0"))
                    .singleElement()
                    .asString()
                    .matches("dev rxe_wlp7s0 ctxn 1 pid [0-9]+ comm main");
            assertThat(call(1, "rdma link delete rxe_wlp7s0").getFirst())
                    .contains("EBUSY", "a program that has it open");
            assertThat(call(1, "rdma link add rxe_0 type rxe netdev wlp7s0").getFirst())
                    .contains("EADDRINUSE", "another process has the RDMA device of wlp7s0 open");
        }
        assertThat(Files.exists(folder.resolve("run"))).isTrue();
    }
}
