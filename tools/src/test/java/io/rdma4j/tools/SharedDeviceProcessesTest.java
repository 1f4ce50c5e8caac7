// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that open the device of one network interface: the first owns and serves it, the others use it as clients.
 */
@Timeout(300)
@ProvedOn("carrier:udp")
class SharedDeviceProcessesTest {
    private static final long LIMIT_NS = TwoMachines.LIMIT_NS;
    private static final String DEVICE = "rxe_left0";
    private static final String ADDRESS = "192.168.2.30";
    private static final String SERVED = DEVICE + " is open, by udp-linux with shared memory, addresses " + ADDRESS;
    private static final String REACHED = "; reached through ";

    @AutoClose
    private final TestNamespace machine = new TestNamespace("-shared");

    @TempDir
    private Path folder;

    @BeforeEach
    void plug() {
        machine.ip("link add left0 type veth peer name right0");
        machine.ip("addr add 192.168.2.30/24 dev left0");
        machine.ip("addr add fd99::30/64 dev left0 nodad");
        machine.ip("link set right0 up");
        machine.ip("link set left0 up");
        machine.awaitUp("left0");
        machine.awaitNoTentativeAddress("left0");
    }

    private ToolProcess tool(String label, String... words) throws IOException {
        return machine.tool(label, List.of("-Drdma4j.run=" + folder.resolve("run")), List.of(words));
    }

    private ToolProcess user(String label, String... words) throws IOException {
        List<String> command = ToolProcess.jvm();
        command.removeLast();
        command.add(1, "-Drdma4j.run=" + folder.resolve("run"));
        command.add(DeviceUser.class.getName());
        command.addAll(List.of(words));
        return machine.start(label, command);
    }

    private ToolProcess user(String label) throws IOException {
        return user(label, "use", DEVICE, end(label).toString());
    }

    private Path end(String label) {
        return folder.resolve("end-of-" + label);
    }

    private void await(ToolProcess process, String line) throws InterruptedException {
        assertThat(process.awaitLine(line, LIMIT_NS)).as(machine::output).isPresent();
    }

    private long entries() throws IOException {
        try (var files = Files.list(folder.resolve("run"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("uverbs"))
                    .count();
        }
    }

    @Test
    void aPingPongRunsBetweenTwoProcessesOfOneInterface() throws Exception {
        try (ToolProcess server = tool("server", "ibv_rc_pingpong", "-g", "2", "-n", "100", "-c")) {
            await(server, "local address:");
            assertThat(entries()).isEqualTo(1);
            try (ToolProcess client = tool("client", "ibv_rc_pingpong", "-g", "2", "-n", "100", "-c", "127.0.0.1")) {
                assertThat(client.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
                assertThat(server.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
            }
        }
        assertThat(entries()).as("nothing is left behind").isZero();
    }

    @Test
    @Covers("GEN-26")
    void whenTheOwnerIsKilledTheOthersHearItAndOneOfThemTakesTheDeviceOver() throws Exception {
        try (ToolProcess first = user("first")) {
            await(first, "; served at ");
            assertThat(machine.output()).contains(SERVED);
            try (ToolProcess second = user("second");
                    ToolProcess third = user("third")) {
                await(second, REACHED);
                await(third, REACHED);
                first.kill();
                for (ToolProcess other : List.of(second, third)) {
                    await(other, "event DEVICE_FATAL");
                    await(other, "which served " + DEVICE + ", has ended or closed it: close this context");
                    await(other, "open again");
                }
                assertThat(machine.output().lines().filter(line -> line.contains("; served at ")))
                        .as("the first owner and the one that followed: %s", machine.output())
                        .hasSize(2);
                assertThat(entries()).isEqualTo(1);
            }
        }
    }

    @Test
    void whenTheOwnerClosesTheDeviceTheOthersHearItToo() throws Exception {
        try (ToolProcess first = user("first")) {
            await(first, "; served at ");
            try (ToolProcess second = user("second")) {
                await(second, REACHED);
                Files.createFile(end("first"));
                await(first, "closed");
                await(second, "event DEVICE_FATAL");
                await(second, "; served at ");
            }
        }
    }

    @Test
    void processesThatStartAtOnceAgreeOnOneOwner() throws Exception {
        try (ToolProcess one = user("one");
                ToolProcess two = user("two");
                ToolProcess three = user("three")) {
            for (ToolProcess process : List.of(one, two, three)) {
                await(process, "INFO: " + DEVICE + " is open");
            }
            assertThat(machine.output().lines().filter(line -> line.contains("; served at ")))
                    .hasSize(1);
            assertThat(machine.output().lines().filter(line -> line.contains(REACHED)))
                    .hasSize(2);
        }
    }

    /** Runs a client until its server listens. */
    private void ping(String label, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("rping", "-c", "-C", "3", "-a", ADDRESS));
        command.addAll(List.of(words));
        while (true) {
            try (ToolProcess client = tool(label, command.toArray(String[]::new))) {
                if (client.awaitExit(LIMIT_NS).equals(OptionalInt.of(0))) {
                    return;
                }
                assertThat(machine.output()).contains("RDMA_CM_EVENT_REJECTED, error 8");
            }
        }
    }

    @Test
    @Covers("CM-20")
    void processesOfOneDeviceAndItsOwnerConnectByAddressAndPort() throws Exception {
        try (ToolProcess _ = tool("owner", "rping", "-s", "-P", "-a", ADDRESS, "-p", "7001")) {
            while (!Files.isDirectory(folder.resolve("run")) || entries() == 0) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            ping("to the owner", "-p", "7001");
            try (ToolProcess _ = tool("server", "rping", "-s", "-P", "-a", ADDRESS, "-p", "7002")) {
                ping("to another process", "-p", "7002");
                try (ToolProcess second = tool("second", "rping", "-s", "-a", ADDRESS, "-p", "7001")) {
                    await(second, "EADDRINUSE: port 7001 of ::ffff:" + ADDRESS + " is used by another process");
                    assertThat(second.awaitExit(LIMIT_NS)).hasValue(255);
                }
            }
        }
    }

    private long disconnections() {
        return machine.output()
                .lines()
                .filter(line -> line.contains("server DISCONNECT EVENT"))
                .count();
    }

    @Test
    @Covers("CM-20")
    void aKilledProcessIsDisconnectedFromItsPeers() throws Exception {
        try (ToolProcess owner = user("owner")) {
            await(owner, "; served at ");
            try (ToolProcess _ = tool("server", "rping", "-s", "-P", "-a", ADDRESS)) {
                ping("client");
                try (ToolProcess client = tool("killed", "rping", "-c", "-v", "-a", ADDRESS)) {
                    await(client, "ping data: rdma-ping-3");
                    client.kill();
                }
                while (disconnections() < 2) {
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                ping("client");
            }
        }
    }

    @Test
    void lookingAtADeviceDoesNotServeIt() throws Exception {
        try (ToolProcess devinfo = tool("devinfo", "ibv_devinfo", "-d", DEVICE);
                ToolProcess devices = tool("devices", "ibv_devices")) {
            assertThat(devinfo.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
            assertThat(devices.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
        }
        assertThat(folder.resolve("run")).doesNotExist();
    }

    @Test
    void anAddressThatAForeignProgramHasIsToldWithTheRemedy() throws Exception {
        try (ToolProcess foreign = user("foreign", "occupy", "192.168.2.30")) {
            await(foreign, "occupied");
            try (ToolProcess server = tool("server", "ibv_rc_pingpong", "-d", DEVICE)) {
                assertThat(server.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(1));
                assertThat(machine.output())
                        .contains("UDP port 4791 of 192.168.2.30")
                        .contains("is taken by a program that does not serve " + DEVICE)
                        .contains("RDMA4J_DEVICES=" + DEVICE + "=udp:192.168.2.30:4792");
            }
        }
    }

    @Test
    void aForeignProgramIsToldAtOnce() throws Exception {
        try (ToolProcess foreign = user("foreign", "occupy", "192.168.2.30")) {
            await(foreign, "occupied");
            try (ToolProcess user = user("user")) {
                await(user, "refused within ");
                assertThat(machine.output()).containsPattern("refused within [0-3] s: .*does not serve " + DEVICE);
            }
        }
    }

    @Test
    void aProcessThatIsAboutToServeTheDeviceIsWaitedFor() throws Exception {
        try (ToolProcess owner =
                user("owner", "begin", "192.168.2.30", end("owner").toString())) {
            await(owner, "begun");
            try (ToolProcess user = user("user")) {
                await(user, "opening");
                assertThat(user.awaitLine("refused", TimeUnit.SECONDS.toNanos(2)))
                        .as(machine::output)
                        .isEmpty();
                Files.createFile(end("owner"));
                await(user, "; served at ");
            }
        }
    }

    @Test
    void anotherNetworkNamespaceDoesNotSeeTheDevice() throws Exception {
        try (ToolProcess first = user("first");
                TestNamespace other = new TestNamespace("-other")) {
            await(first, "; served at ");
            List<String> options = List.of("-Drdma4j.run=" + folder.resolve("run"));
            try (ToolProcess there = other.tool("there", options, List.of("ibv_devices"));
                    ToolProcess here = tool("here", "ibv_devices")) {
                assertThat(there.awaitExit(LIMIT_NS)).as(other::output).isEqualTo(OptionalInt.of(0));
                assertThat(here.awaitExit(LIMIT_NS)).as(machine::output).isEqualTo(OptionalInt.of(0));
                assertThat(other.output()).contains("rxe_lo").doesNotContain(DEVICE);
                assertThat(machine.output()).contains("here |     " + DEVICE);
            }
        }
    }
}
