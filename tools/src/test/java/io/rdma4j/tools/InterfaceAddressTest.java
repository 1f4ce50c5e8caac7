// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A network interface gets and loses addresses while a program has its device open. */
@Timeout(300)
@ProvedOn("carrier:udp")
class InterfaceAddressTest {
    private static final long LIMIT_NS = TwoMachines.LIMIT_NS;
    private static final String DEVICE = "rxe_left0";

    @AutoClose
    private final TestNamespace machine = new TestNamespace("-addresses");

    @TempDir
    private Path folder;

    @BeforeEach
    void plug() {
        machine.ip("link add left0 type veth peer name right0");
        machine.ip("addr add 192.168.2.30/24 dev left0");
        machine.ip("link set right0 up");
        machine.ip("link set left0 addrgenmode none");
        machine.ip("link set left0 up");
        machine.awaitUp("left0");
    }

    private ToolProcess program() throws IOException {
        List<String> command = ToolProcess.jvm();
        command.removeLast();
        command.add(1, "-Drdma4j.run=" + folder.resolve("run"));
        command.addAll(List.of(
                DeviceUser.class.getName(), "use", DEVICE, folder.resolve("end").toString()));
        return machine.start("program", command);
    }

    private void await(ToolProcess process, String line) throws InterruptedException {
        assertThat(process.awaitLine(line, LIMIT_NS)).as(machine::output).isPresent();
    }

    @Test
    @Covers("EVT-25")
    void theGidTableOfAnOpenDeviceFollowsThem() throws Exception {
        try (ToolProcess program = program()) {
            await(program, "; served at ");
            machine.ip("addr add 192.168.3.31/24 dev left0");
            await(program, "192.168.3.31");
            machine.ip("addr del 192.168.2.30/24 dev left0");
            await(program, "GIDs [::ffff:192.168.3.31] present");
            pingPong("192.168.3.31");
            machine.ip("addr flush dev left0");
            await(program, "GIDs [fe80:");
            machine.ip("addr add 192.168.4.32/24 dev left0");
            await(program, "GIDs [::ffff:192.168.4.32] present");
            assertThat(machine.output()).doesNotContain("gone").doesNotContain("DEVICE_FATAL");
            pingPong("192.168.4.32");
        }
    }

    /** Linux rxe does so too: a cut link and a shut down interface end the port, and the device stays. */
    @Test
    @Covers({"EVT-16", "EVT-17"})
    void thePortOfAnOpenDeviceFollowsTheLink() throws Exception {
        try (ToolProcess program = program()) {
            await(program, "; served at ");
            machine.ip("link set right0 down");
            await(program, "event PORT_ERR, the port is DOWN");
            machine.ip("link set right0 up");
            await(program, "event PORT_ACTIVE, the port is ACTIVE");
            machine.ip("link set left0 down");
            await(program, "event PORT_ERR, the port is DOWN");
            machine.ip("link set left0 up");
            await(program, "event PORT_ACTIVE, the port is ACTIVE");
            pingPong("192.168.2.30");
            assertThat(machine.output()).doesNotContain("DEVICE_FATAL");
        }
    }

    /** Clients find the device by the addresses of its entry. */
    @Test
    void theEntryOfADeviceThatTheToolServesFollowsTheAddresses() throws Exception {
        List<String> options = List.of("-Drdma4j.run=" + folder.resolve("run"));
        try (ToolProcess server = machine.tool("server", options, List.of("uverbs", DEVICE))) {
            await(server, DEVICE + " ");
            Path entry = folder.resolve("run").resolve("uverbs0").resolve("endpoints");
            assertThat(entry).hasContent("192.168.2.30 4791");
            machine.ip("addr add 192.168.3.31/24 dev left0");
            machine.ip("addr del 192.168.2.30/24 dev left0");
            long endNs = System.nanoTime() + LIMIT_NS;
            while (!Files.readString(entry).equals("192.168.3.31 4791\n") && System.nanoTime() < endNs) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            assertThat(entry).as(machine::output).hasContent("192.168.3.31 4791");
            try (ToolProcess info = machine.tool("info", options, List.of("ibv_devinfo", "-v", "-d", DEVICE))) {
                assertThat(info.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
            }
            assertThat(machine.output()).contains("::ffff:192.168.3.31");
        }
    }

    /** Two more processes use the device, through the program that owns it, at its new address. */
    private void pingPong(String address) throws Exception {
        List<String> options = List.of("-Drdma4j.run=" + folder.resolve("run"));
        try (ToolProcess server = machine.tool("server", options, List.of("ibv_rc_pingpong", "-d", DEVICE, "-c"))) {
            await(server, "local address:");
            List<String> words = List.of("ibv_rc_pingpong", "-d", DEVICE, "-c", address);
            try (ToolProcess client = machine.tool("client", options, words)) {
                assertThat(client.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
                assertThat(server.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
            }
        }
        assertThat(machine.output()).contains("client |   remote address:", "GID ::ffff:" + address);
    }
}
