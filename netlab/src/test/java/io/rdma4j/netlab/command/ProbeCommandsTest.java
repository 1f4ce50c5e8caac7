// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.ip.route.Route;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.testing.ledger.Covers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ping}, {@code tracepath} and {@code tcpdump} between two hosts through a router; one of the two links has a
 * small MTU.
 */
@Timeout(120)
class ProbeCommandsTest {
    private static final String ROUTED = """
        host a
        host r
        host b
        link a/eth0 r/eth0 mtu 1500
        link r/eth1 b/eth0 mtu 1400
        """;

    private final Network network =
            Network.build(TopologyParser.parse("test", ROUTED), NanoClock.SYSTEM, ProgressMode.AUTOMATIC, 7);
    private final Terminal a = new Terminal(network.machine("a"));

    @BeforeEach
    void number() {
        address("a", "eth0", "10.0.0.1/24", "fd00::1/64");
        address("r", "eth0", "10.0.0.254/24", "fd00::fe/64");
        address("r", "eth1", "10.0.1.254/24", "fd01::fe/64");
        address("b", "eth0", "10.0.1.2/24", "fd01::2/64");
        new Terminal(network.machine("r")).type("sysctl net.ipv4.ip_forward=1");
        a.type("sysctl net.ipv4.ip_forward=0");
        route("a", "10.0.0.254", "fd00::fe");
        route("b", "10.0.1.254", "fd01::fe");
    }

    @AfterEach
    void close() {
        network.close();
    }

    private NetDevice device(String machine, String name) {
        return Objects.requireNonNull(network.machine(machine).find(Machine.INITIAL, name));
    }

    private void address(String machine, String device, String ipv4, String ipv6) {
        device(machine, device).ip().set(List.of(InterfaceAddress.parse(ipv4), InterfaceAddress.parse(ipv6)));
    }

    private void route(String machine, String ipv4, String ipv6) {
        Machine on = network.machine(machine);
        NetDevice eth0 = device(machine, "eth0");
        var routes = on.stack(on.net().initial()).routes();
        routes.add(Route.via(IpPrefix.parse("10.0.0.0/8"), Gid.parse(ipv4), eth0));
        routes.add(Route.via(IpPrefix.parse("fd00::/8"), Gid.parse(ipv6), eth0));
    }

    @Test
    void aHostAnswersToAPingThroughARouter() {
        assertThat(a.type("ping -c 2 -i 0.01 -W 20 10.0.1.2"))
                .startsWith("PING 10.0.1.2 (10.0.1.2) 56(84) bytes of data.\n"
                        + "64 bytes from 10.0.1.2: icmp_seq=1 ttl=63 time=")
                .contains(
                        "icmp_seq=2 ttl=63", "2 packets transmitted, 2 received, 0% packet loss", "rtt min/avg/max = ");
        assertThat(a.type("ping -c 1 -W 20 fd01::2")).contains("64 bytes from fd01::2: icmp_seq=1");
        assertThat(a.type("ping -c 1 -W 20 127.0.0.1")).contains("64 bytes from 127.0.0.1: icmp_seq=1");
        assertThat(a.type("ping -c 1 -W 20 ::1")).contains("64 bytes from ::1: icmp_seq=1");
    }

    @Test
    void whoDoesNotAnswerIsTold() {
        assertThat(a.fail("ping -c 1 -W 20 192.168.7.7")).contains("no route leads to 192.168.7.7");
        assertThat(a.fail("ping -c 1 10.0.0.1 more")).contains("\"more\" makes no sense");
        assertThat(a.fail("ping -c none 10.0.0.1")).contains("no number");
        assertThat(a.fail("ping here")).contains("not an IP address");
    }

    @Test
    @Covers("TOOL-56")
    void tracepathFindsTheRoutersAndWhatTheWayCarries() {
        a.type("ping -c 1 -W 20 10.0.1.2");
        assertThat(a.type("tracepath 10.0.1.2")
                        .lines()
                        .map(line -> line.replaceAll(" +", " ").strip()))
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("1?: [LOCALHOST] pmtu 1500"),
                        line -> assertThat(line).matches("1: 10.0.0.254 [0-9.]+ms"),
                        line -> assertThat(line).isEqualTo("2: 10.0.0.254 pmtu 1400"),
                        line -> assertThat(line).matches("2: 10.0.1.2 [0-9.]+ms reached"),
                        line -> assertThat(line).isEqualTo("Resume: pmtu 1400 hops 2"));
        assertThat(a.type("tracepath fd01::2")).contains("pmtu 1500", "pmtu 1400", "Resume: pmtu 1400 hops 2");
    }

    @Test
    @Covers("TOOL-55")
    void aCaptureRaisesThePromiscuityCounterAndIsWritten(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("eth0.pcap");
        NetDevice eth0 = device("b", "eth0");
        CompletableFuture<String> first = sniff("tcpdump -i eth0 -w " + file + " -c 4 -s 96", eth0, 1);
        CompletableFuture<String> second = sniff("tcpdump -i eth0 -c 4", eth0, 2);
        assertThat(eth0.link().promiscuity()).isEqualTo(2);

        a.type("ping -c 4 -i 0 -W 20 -s 200 10.0.1.2");
        first.get(60, TimeUnit.SECONDS);
        assertThat(second.get(60, TimeUnit.SECONDS).lines()).hasSize(4);
        assertThat(eth0.link().promiscuity()).isZero();
        checkCapture(file);
    }

    /** Starts {@code tcpdump} in a thread and returns when the device is promiscuous for it. */
    private CompletableFuture<String> sniff(String line, NetDevice device, int sniffers) {
        Terminal b = new Terminal(network.machine("b"));
        CompletableFuture<String> printed = CompletableFuture.supplyAsync(
                () -> b.type(line), task -> Thread.ofPlatform().daemon().start(task));
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (device.link().promiscuity() < sniffers) {
            assertThat(printed).isNotDone();
            assertThat(System.nanoTime()).isLessThan(deadlineNs);
            Thread.onSpinWait();
        }
        return printed;
    }

    private static void checkCapture(Path file) throws IOException {
        ByteBuffer capture = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.BIG_ENDIAN);
        assertThat(capture.getInt(0)).isEqualTo(0xA1B2_3C4D);
        int packets = 0;
        int at = 24;
        while (at < capture.capacity()) {
            assertThat(capture.getInt(at + 8)).as("captured").isLessThanOrEqualTo(96);
            assertThat(capture.getInt(at)).as("a date of this century").isGreaterThan(1_500_000_000);
            at += 16 + capture.getInt(at + 8);
            packets++;
        }
        assertThat(packets).isEqualTo(4);
    }

    @Test
    void aLineIsPrintedForEachPacket() throws Exception {
        a.type("ping -c 1 -W 20 10.0.1.2");
        NetDevice eth0 = device("b", "eth0");
        CompletableFuture<String> printed = sniff("tcpdump -n -i eth0 -c 6", eth0, 1);
        // Captures more packets than expected, because multicast group reports may arrive in between.
        a.type("ping -c 3 -i 0.1 -W 20 10.0.1.2");
        assertThat(printed.get(60, TimeUnit.SECONDS))
                .containsPattern("IP 10\\.0\\.0\\.1 > 10\\.0\\.1\\.2: ICMP echo request, id \\d+, seq 1, length 64")
                .containsPattern("IP 10\\.0\\.1\\.2 > 10\\.0\\.0\\.1: ICMP echo reply, id \\d+, seq 1, length 64");
    }

    @Test
    void whatCannotBeCapturedIsRefused() {
        assertThat(a.fail("tcpdump -c 1")).contains("-i DEV is missing");
        assertThat(a.fail("tcpdump -i eth9 -c 1")).contains("eth9");
        assertThat(a.fail("tcpdump -i eth0 -w /no/such/folder/x -c 1")).contains("/no/such/folder/x");
    }

    @Test
    void aMachineThatIsDrivenByHandCannotWait() {
        try (Machine byHand = new Machine("hand", NanoClock.SYSTEM, ProgressMode.MANUAL)) {
            assertThat(new Terminal(byHand).fail("ping 127.0.0.1")).contains("driven by hand");
        }
    }
}
