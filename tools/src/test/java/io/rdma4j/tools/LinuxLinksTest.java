// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.testing.ledger.ProvedOn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two processes whose devices have separate addresses, on Linux links between them. */
@ProvedOn("carrier:tap")
@Timeout(180)
class LinuxLinksTest {
    private static final Pattern COMPLAINT = Pattern.compile("(?i)\\bbad\\b|malformed|truncated|invalid|wrong|\\[\\|");
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    @AutoClose
    private final TestNamespace namespace = new TestNamespace();

    @BeforeEach
    void thereAreTapInterfaces() {
        assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "no TAP interface can be made here: no /dev/net/tun");
    }

    private void bridgeOfTaps(int mtu) {
        namespace.ip("link add br0 type bridge");
        for (String port : List.of("tap0", "tap1")) {
            namespace.ip("tuntap add " + port + " mode tap");
            namespace.ip("link set " + port + " mtu " + mtu + " master br0 up");
        }
        namespace.ip("link set br0 up");
    }

    private void pingPong(String serverDevice, String clientDevice, String options) throws Exception {
        try (ToolProcess server = end("server", serverDevice, options)) {
            assertThat(server.awaitLine("local address:", LIMIT_NS))
                    .as(namespace::output)
                    .isPresent();
            try (ToolProcess client = end("client", clientDevice, options + " 127.0.0.1")) {
                assertThat(client.awaitExit(LIMIT_NS)).as(namespace::output).isEqualTo(OptionalInt.of(0));
                assertThat(server.awaitExit(LIMIT_NS)).as(namespace::output).isEqualTo(OptionalInt.of(0));
            }
        }
    }

    private ToolProcess end(String label, String device, String options) throws IOException {
        List<String> words = new ArrayList<>(List.of("ibv_rc_pingpong", "--device", device));
        words.addAll(Arrays.asList(options.split(" ")));
        return namespace.tool(label, words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-g 0 -c -n 300", "-g 1 -c -n 300", "-g 0 -s 1048576 -c -n 20", "-g 1 -m 4096 -s 65536 -c -n 50"
            })
    void throughABridgeOfTwoTaps(String options) throws Exception {
        bridgeOfTaps(9000);
        pingPong(
                "rxe0=tap:tap0,10.9.0.1/24,fd09::1/64",
                "rxe0=tap:tap1,10.9.0.2/24,fd09::2/64,mac=02:00:00:00:09:02",
                options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-g 0 -c -n 300", "-g 1 -c -n 300", "-g 0 -s 1048576 -c -n 20"})
    void overAVethPairByPacketSockets(String options) throws Exception {
        namespace.ip("link add left type veth peer name right");
        namespace.ip("link set left up");
        namespace.ip("link set right up");
        pingPong("rxe0=packet:left,10.9.0.1/24,fd09::1/64", "rxe0=packet:right,10.9.0.2/24,fd09::2/64", options);
    }

    @Test
    void whatIsOnTheWireIsWellFormed(@TempDir Path directory) throws Exception {
        bridgeOfTaps(1500);
        Path capture = directory.resolve("bridge.pcap");
        try (ToolProcess tcpdump = tcpdump(capture)) {
            assumeTrue(tcpdump.awaitLine("listening on", LIMIT_NS).isPresent(), "tcpdump does not run");
            String options = "-s 10000 -c -n 20 -g ";
            pingPong("rxe0=tap:tap0,10.9.0.1/24,fd09::1/64", "rxe0=tap:tap1,10.9.0.2/24,fd09::2/64", options + 0);
            pingPong("rxe0=tap:tap0,10.9.0.1/24,fd09::1/64", "rxe0=tap:tap1,10.9.0.2/24,fd09::2/64", options + 1);
        }
        try (ToolProcess printer =
                namespace.start("tcpdump -vv", List.of("tcpdump", "-n", "-vv", "-r", capture.toString()))) {
            assertThat(printer.awaitExit(LIMIT_NS)).hasValue(0);
        }
        assertThat(namespace.output())
                .contains("ARP, Ethernet (len 6), IPv4 (len 4), Request who-has 10.9.0.")
                .contains("neighbor solicitation")
                .containsPattern("10\\.9\\.0\\.1\\.\\d+ > 10\\.9\\.0\\.2\\.4791");
        assertThat(namespace.output().lines().filter(LinuxLinksTest::isComplaint))
                .isEmpty();
        try (ToolProcess decoder = namespace.tool("decode", List.of("decode", capture.toString()))) {
            assertThat(decoder.awaitExit(LIMIT_NS)).hasValue(0);
            assertThat(decoder.awaitLine("0 ICRC bad, 0 malformed", 0))
                    .as(namespace::output)
                    .isPresent();
        }
    }

    private ToolProcess tcpdump(Path capture) {
        try {
            return namespace.start("tcpdump", List.of("tcpdump", "-U", "-n", "-i", "br0", "-w", capture.toString()));
        } catch (IOException e) {
            return abort("tcpdump cannot be started: " + e.getMessage());
        }
    }

    /**
     * True for a complaint of tcpdump. RoCE packets have no UDP checksum over IPv6, as in Linux, so the complaint about
     * it does not count; the ICRC covers the packet.
     */
    private static boolean isComplaint(String line) {
        return COMPLAINT.matcher(line).find() && !line.contains(".4791: [bad udp cksum 0x0000");
    }
}
