// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.LocalDirectory;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.pingpong.PingPongCommand;
import io.rdma4j.tools.pingpong.RcPingPong;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs networks of topology files with real machines and programs. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NetCommandTest {
    private static final String TOPOLOGY = """
        host a
        host b
        switch s
        link a/eth0 s delay 20us loss 0.5%
        link b/eth0 s
        a: ip addr add 10.0.0.1/24 dev eth0
        b: ip addr add 10.0.0.2/24 dev eth0
        a: rdma link add rxe0 type rxe netdev eth0
        b: rdma link add rxe0 type rxe netdev eth0
        """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final NetCommand command = new NetCommand(
            (name, host) -> name.equals("ibv_rc_pingpong") ? new PingPongCommand(new RcPingPong(), () -> host) : null);

    @TempDir
    private Path directory;

    private int run(String... words) throws IOException, InterruptedException {
        return command.run(words, new PrintWriter(out, true), new PrintWriter(err, true));
    }

    private String topology(String text) throws IOException {
        return Files.writeString(directory.resolve("test.topo"), text).toString();
    }

    private static String freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return Integer.toString(socket.getLocalPort());
        }
    }

    @Test
    void twoHostsPlayPingPongOverABadLink() throws IOException, InterruptedException {
        String file = topology(TOPOLOGY);
        String port = freePort();
        int exit = run(
                "run",
                file,
                "--",
                "a:",
                "ibv_rc_pingpong",
                "-c",
                "-n",
                "100",
                "-p",
                port,
                "--",
                "b:",
                "ibv_rc_pingpong",
                "-c",
                "-n",
                "100",
                "-p",
                port,
                "a");
        assertThat(out.toString())
                .contains("a:   local address:", "b:   remote address:", "GID ::ffff:10.0.0.1", "GID ::ffff:10.0.0.2")
                .containsPattern("b: 100 iters in .* usec/iter");
        assertThat(exit).isZero();
    }

    @Test
    void programsMayBeCommandsAndTheFirstHostIsTheDefault() throws IOException, InterruptedException {
        assertThat(run("run", topology(TOPOLOGY), "--", "ip", "addr", "show", "dev", "eth0"))
                .isZero();
        assertThat(out.toString()).contains("a: ").contains("10.0.0.1/24");
    }

    @Test
    void theExitCodeIsThatOfTheProgramThatFailed() throws IOException, InterruptedException {
        assertThat(run("run", topology(TOPOLOGY), "--", "b:", "frobnicate")).isEqualTo(127);
        assertThat(out.toString()).contains("b: frobnicate: command not found");
    }

    @Test
    void aCommandOfTheFileThatFailsIsNamedWithItsLine() throws IOException {
        String file = topology("host a\na: ip link set eth7 up\n");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> run("run", file))
                .withMessageContaining("test.topo:2: ip link set eth7 up");
        assertThat(err.toString()).contains("eth7");
    }

    @Test
    void commandsOfAnotherProcessReachTheHosts() throws IOException, InterruptedException {
        try (RunningNetwork network =
                RunningNetwork.start("test.topo", TOPOLOGY, 1, (_, _) -> null, new PrintWriter(err, true))) {
            String pid = Long.toString(ProcessHandle.current().pid());
            assertThat(run("-p", pid, "b:", "ip", "link", "set", "eth0", "alias", "to the switch"))
                    .isZero();
            assertThat(run("-p", pid, "b:", "ip", "link", "show", "eth0")).isZero();
            assertThat(out.toString()).contains("eth0", "to the switch");
            assertThat(run("-p", pid, "c:", "ip", "link")).isNotZero();
            assertThat(err.toString()).contains("no machine \"c\"");
            assertThat(network.firstHost()).isEqualTo("a");
        }
        assertThat(ControlSockets.running())
                .doesNotContain(ProcessHandle.current().pid());
    }

    /** J1: a process of the user connects and sends nothing, and the folder contains files of other programs. */
    @Test
    void aSilentClientKeepsNoOtherOneWaitingAndForeignFilesAreIgnored() throws IOException, InterruptedException {
        long self = ProcessHandle.current().pid();
        Path socket = ControlSockets.of(self);
        Path junk = Files.createFile(socket.resolveSibling("net-abc"));
        try (RunningNetwork network =
                        RunningNetwork.start("test.topo", TOPOLOGY, 1, (_, _) -> null, new PrintWriter(err, true));
                SocketChannel silent = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            assertThat(silent.isConnected()).isTrue();
            assertThat(run("-p", Long.toString(self), "b:", "ip", "link", "show", "eth0"))
                    .isZero();
            assertThat(ControlSockets.running()).contains(self);
            assertThat(network.firstHost()).isEqualTo("a");
        } finally {
            Files.delete(junk);
        }
    }

    /** The number of the dead process belongs to a living one, which runs no network. */
    @Test
    void theSocketThatAKilledNetworkHasLeftIsRemoved() throws IOException {
        long parent = ProcessHandle.current().parent().orElseThrow().pid();
        Path socket = ControlSockets.of(parent);
        LocalDirectory.listen(socket, 0).close();
        assertThat(ControlSockets.running()).doesNotContain(parent);
        assertThat(socket).doesNotExist();
    }

    @Test
    void whatMakesNoSenseIsRefused() throws IOException {
        assertRefused("is missing");
        assertRefused("one topology file", "run");
        assertRefused("there is no file 'nofile'", "run", "nofile");
        assertRefused("are for InfiniBand subnets", "run", "--sm=none", topology(TOPOLOGY));
        assertRefused("is no number", "run", "--seed", "x", "file");
        assertRefused("write its name and a colon", "ip", "link");
        assertRefused("what is to run on host a is missing", "a:");
        assertRefused("process 1x runs no network", "-p", "1x", "a:", "ip", "link");
    }

    private void assertRefused(String reason, String... words) {
        assertThatExceptionOfType(UsageException.class)
                .isThrownBy(() -> run(words))
                .withMessageContaining(reason);
    }
}
