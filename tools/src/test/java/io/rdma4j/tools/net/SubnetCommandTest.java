// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.RdmaException;
import io.rdma4j.ib.topology.FabricTopologyParser;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.diag.SminfoCommand;
import io.rdma4j.tools.pingpong.PingPongCommand;
import io.rdma4j.tools.pingpong.RcPingPong;
import io.rdma4j.tools.rdmacm.MckeyCommand;
import io.rdma4j.tools.rdmacm.RpingCommand;
import io.rdma4j.tools.rdmacm.TransferCommand;
import io.rdma4j.uverbs.client.UverbsDriver;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortState;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs subnets of topology files in real time. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SubnetCommandTest {
    private static final String TOPOLOGY = """
        Switch 4 "leaf1"
        [1] "subnet-a"[1]
        [3] "spine"[1]

        Switch 4 "leaf2"
        [1] "subnet-b"[1]
        [3] "spine"[2]

        Switch 2 "spine"

        Hca 1 "subnet-a"

        Hca 1 "subnet-b"
        """;

    private final StringWriter out = new StringWriter();
    private final NetCommand command = new NetCommand(SubnetCommandTest::find);

    @TempDir
    private Path directory;

    private static Command find(String name, Host host) {
        return switch (name) {
            case "rping" -> new RpingCommand(() -> host);
            case "ucmatose" -> TransferCommand.ucmatose(() -> host);
            case "udaddy" -> TransferCommand.udaddy(() -> host);
            default -> new PingPongCommand(new RcPingPong(), () -> host);
        };
    }

    private int run(String... words) throws IOException, InterruptedException {
        PrintWriter to = new PrintWriter(out, true);
        return command.run(words, to, to);
    }

    private String file(String text) throws IOException {
        return Files.writeString(directory.resolve("test.topo"), text).toString();
    }

    @Test
    @Covers({"GEN-34", "TOOL-5", "TOOL-69"})
    void twoHostsPlayPingPongByLid() throws IOException, InterruptedException {
        String port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = Integer.toString(socket.getLocalPort());
        }
        String program = "ibv_rc_pingpong";
        int exit = run(
                "run",
                file(TOPOLOGY),
                "--",
                "subnet-a:",
                program,
                "-c",
                "-n",
                "20",
                "-p",
                port,
                "--",
                "subnet-b:",
                program,
                "-c",
                "-n",
                "20",
                "-p",
                port,
                "subnet-a");
        assertThat(out.toString())
                .contains("subnet-a:   local address:  LID 0x0001", "subnet-b:   remote address: LID 0x0001")
                .containsPattern("subnet-b: 20 iters in .* usec/iter");
        assertThat(exit).isZero();
    }

    @Test
    void hostsHaveIpOverInfiniband() throws IOException, InterruptedException {
        assertThat(run("run", file(TOPOLOGY), "--", "subnet-a:", "ping", "-c", "1", "-W", "20", "subnet-b"))
                .isZero();
        assertThat(out.toString()).contains("64 bytes from 10.0.0.2: icmp_seq=1 ttl=64");
        assertThat(run("run", "--ipoib=fd00:7::/64", file(TOPOLOGY), "--", "subnet-b:", "ip", "addr", "show", "ib0"))
                .isZero();
        assertThat(out.toString()).contains("inet6 fd00:7::2/64", "mtu 2044", "link/infiniband 00:");
    }

    /** The server of rping prints nothing before a client has connected. */
    @Test
    @Covers({"RCM-65", "TOOL-69"})
    void programsOfRdmaCmFindHostsByTheirAddresses() throws IOException, InterruptedException {
        String[] programs = ("-- subnet-a: rping -s -v -C 2 -- subnet-b: rping -c -v -C 2 -a subnet-a"
                        + " -- subnet-a: ucmatose -- subnet-b: ucmatose -s 10.0.0.1"
                        + " -- subnet-a: udaddy -b 10.0.0.1 -- subnet-b: udaddy -s subnet-a")
                .split(" ");
        assertThat(run(with(file(TOPOLOGY), programs))).isZero();
        assertThat(out.toString())
                .contains("subnet-a: server ping data: rdma-ping-1", "subnet-b: ping data: rdma-ping-1")
                .contains("subnet-b: cmatose: connecting", "subnet-b: udaddy: connecting");
    }

    private static String[] with(String file, String[] programs) {
        return Stream.concat(Stream.of("run", file), Stream.of(programs)).toArray(String[]::new);
    }

    @Test
    void otherProcessesFindTheDevicesOfTheSubnet() throws Exception {
        try (RunningFabric fabric = RunningFabric.start(
                        FabricTopologyParser.parse("test", TOPOLOGY),
                        new FabricSettings(
                                new ManagerSettings(
                                        "subnet-b",
                                        Map.of(ManagerSettings.ROUTING, "updn", ManagerSettings.PRIORITY, "3")),
                                "0",
                                "none",
                                ""),
                        SubnetCommandTest::find,
                        new PrintWriter(out, true));
                Host other = Host.create("other process")) {
            assertThat(out.toString()).containsPattern("IBSIM_SERVER_PORT=[1-9]");
            assertThat(fabric.title()).contains("[subnet-a, subnet-b] and 3 switches");
            other.register(new UverbsDriver());
            try (Context context = other.device("subnet-a").openToQuery()) {
                assertThat(context.queryPort(1).linkLayer()).isEqualTo(LinkLayer.INFINIBAND);
                assertThat(context.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
                assertThat(context.queryPort(1).lid()).isNotZero();
            }
            StringWriter answer = new StringWriter();
            PrintWriter to = new PrintWriter(answer, true);
            int exit = 1;
            for (int i = 0; i < 5 && exit != 0; i++) { // datagrams may be lost
                exit = new SminfoCommand(() -> other).run(new String[] {"-C", "subnet-a"}, to, to);
            }
            assertThat(exit).as(answer::toString).isZero();
            assertThat(answer.toString()).contains("priority 3 state 3 SMINFO_MASTER");
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> fabric.run(HostTask.parse(List.of("x:", "y"), ""), new PrintWriter(out)))
                    .withMessageContaining("there is no host \"x\"");
        }
    }

    /** Addresses and paths come from the process of the subnet. */
    @Test
    @Covers({"RCM-65", "TOOL-69"})
    void otherProcessesConnectByTheAddressesOfHosts() throws Exception {
        FabricSettings settings = new FabricSettings(new ManagerSettings("", Map.of()), "", "10.213.77.0/24", "");
        PrintWriter to = new PrintWriter(out, true);
        try (RunningFabric fabric = RunningFabric.start(
                        FabricTopologyParser.parse("test", TOPOLOGY), settings, SubnetCommandTest::find, to);
                Host first = Host.create("first process");
                Host second = Host.create("second process")) {
            assertThat(fabric.isHost("subnet-a")).isTrue();
            first.register(new UverbsDriver());
            second.register(new UverbsDriver());
            Thread server = Thread.ofPlatform().start(() -> rping(first, "-s -v -C 2 -a 10.213.77.1"));
            int exit = 1;
            for (int i = 0; i < 50 && exit != 0; i++) { // until the server listens
                LockSupport.parkNanos(100_000_000);
                exit = rping(second, "-c -v -C 2 -a 10.213.77.1 -I 10.213.77.2");
            }
            assertThat(exit).as(out::toString).isZero();
            server.join();
            assertThat(out.toString()).contains("server ping data: rdma-ping-1", "\nping data: rdma-ping-1");
        }
    }

    /** The port of a host is a member as long as the other process is. */
    @Test
    @Covers({"RCM-65", "TOOL-69"})
    void otherProcessesJoinGroups() throws Exception {
        FabricSettings settings = new FabricSettings(new ManagerSettings("", Map.of()), "", "10.213.78.0/24", "");
        PrintWriter to = new PrintWriter(out, true);
        try (RunningFabric fabric = RunningFabric.start(
                        FabricTopologyParser.parse("test", TOPOLOGY), settings, SubnetCommandTest::find, to);
                Host first = Host.create("first process");
                Host second = Host.create("second process")) {
            assertThat(fabric.isHost("subnet-b")).isTrue();
            first.register(new UverbsDriver());
            second.register(new UverbsDriver());
            Thread receiver = Thread.ofPlatform().start(() -> mckey(first, "-m 239.1.1.1 -b 10.213.78.1 -C 3"));
            for (int i = 0; i < 50 && receiver.isAlive(); i++) { // until the receiver is a member
                assertThat(mckey(second, "-m 239.1.1.1 -b 10.213.78.2 -C 3 -s"))
                        .as(out::toString)
                        .isZero();
                receiver.join(100);
            }
            assertThat(receiver.isAlive()).as(out::toString).isFalse();
            assertThat(out.toString()).contains("data transfers complete");
        }
    }

    private int mckey(Host process, String words) {
        PrintWriter to = new PrintWriter(out, true);
        try {
            return new MckeyCommand(() -> process).run(words.split(" "), to, to);
        } catch (Exception e) {
            to.println(e);
            return 1;
        }
    }

    private int rping(Host process, String words) {
        PrintWriter to = new PrintWriter(out, true);
        try {
            return new RpingCommand(() -> process).run(words.split(" "), to, to);
        } catch (Exception e) {
            to.println(e);
            return 1;
        }
    }

    @Test
    @Covers({"SM-8", "SM-9"})
    void partitionsOfAFileHaveTheirGroups() throws IOException, InterruptedException {
        Path partitions = Files.writeString(
                directory.resolve("partitions.conf"),
                "Default=0x7fff, ipoib : ALL=full ;\nStorage=0x12, ipoib : ALL ;\n");
        String[] program = ("-P " + partitions + " -- subnet-a: ping -c 1 -W 20 subnet-b").split(" ");
        assertThat(run(with(file(TOPOLOGY), program))).isZero();
        assertThat(out.toString()).contains("64 bytes from 10.0.0.2: icmp_seq=1 ttl=64");
        Path bad = Files.writeString(directory.resolve("bad.conf"), "\nA=0x1 : you ;\n");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> run("run", "-P", bad.toString(), file(TOPOLOGY)))
                .withMessageContaining("bad.conf:2: 'you' is no GUID of a port");
    }

    /** Ports keep the key of the manager in files, and have it at the next start. */
    @Test
    void portsHaveTheKeyOfTheManager() throws IOException, InterruptedException {
        Path keys = directory.resolve("keys");
        String[] program = ("--m-key 0x1234 --m-key-protection-level 1 --m-key-lease-period=60 --lmc 1"
                        + " --sminfo-polling-timeout 500 --polling-retry-number 1 --ipoib none --keys " + keys
                        + " -- subnet-a: ibv_rc_pingpong --help")
                .split(" ");
        for (int round = 0; round < 2; round++) {
            run(with(file(TOPOLOGY), program));
            assertThat(keys.resolve("subnet-a-port1.properties")).content().contains("1234");
        }
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "--lmc", "8", file(TOPOLOGY)))
                .withMessageContaining("'--lmc' wants a number of 0 to 7, not '8'");
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "--m-key", "x", file(TOPOLOGY)))
                .withMessageContaining("'--m-key' wants a number of 64 bits, not 'x'");
    }

    @Test
    void whatMakesNoSenseIsRefused() throws IOException {
        String good = file(TOPOLOGY);
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "--sm", "spine", good))
                .withMessageContaining("wants one of [subnet-a, subnet-b]");
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "-R", "lash", good))
                .withMessageContaining("'--routing-engine' wants minhop, updn, ftree or dor, not 'lash'");
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "--sm-priority=16", good))
                .withMessageContaining("'--sm-priority' wants a number of 0 to 15, not '16'");
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "-P", "missing.conf", good))
                .withMessageContaining("there is no partition file 'missing.conf'");
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "--sm=none", "-p", "1", good))
                .withMessageContaining("which '--sm none' leaves out");
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "--umad2sim=70000", good))
                .withMessageContaining("wants a port of 0 to 65535, not '70000'");
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "--ipoib=here", good))
                .withMessageContaining("'--ipoib' wants a network such as 10.0.0.0/24, or none");
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run("run", "--ipoib=10.0.0.0/31", good))
                .withMessageContaining("has no addresses for 2 hosts");
        String bad = file("Switch 4 \"leaf\"\n[5] \"leaf\"[1]\n");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> run("run", bad))
                .withMessageContaining("test.topo:2: \"leaf\" has a port 1 to 4, not 5");
    }
}
