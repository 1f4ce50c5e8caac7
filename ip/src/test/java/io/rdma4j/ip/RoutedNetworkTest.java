// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.Network.ip;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.ip.route.Route;
import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two hosts, each on its own link to the router between them; the second link has a smaller MTU than the first. */
class RoutedNetworkTest {
    private static final int SMALL_MTU = 1280;
    private static final int PORT = 4791;

    private final Network network = new Network();
    private final Network.Host a = network.host("a").withLoopback();
    private final Network.Host router = network.host("r");
    private final Network.Host b = network.host("b");

    @BeforeEach
    void connect() {
        network.link(a, "10.1.0.1/24 fd01::1/64", router, "10.1.0.254/24 fd01::fe/64", 1500);
        network.link(router, "10.2.0.254/24 fd02::fe/64", b, "10.2.0.2/24 fd02::2/64", SMALL_MTU);
        router.stack.setForwarding(true);
        a.stack.routes().add(Route.via(IpPrefix.ALL_IPV4, ip("10.1.0.254")));
        a.stack.routes().add(Route.via(IpPrefix.ALL_IPV6, ip("fd01::fe")));
        b.stack.routes().add(Route.via(IpPrefix.ALL_IPV4, ip("10.2.0.254")));
        b.stack.routes().add(Route.via(IpPrefix.ALL_IPV6, ip("fd02::fe")));
    }

    @AfterEach
    void close() {
        network.close();
    }

    private static SkBuff received(IpEndpoint endpoint) {
        return Objects.requireNonNull(endpoint.receive(), "nothing was received");
    }

    private static byte[] take(IpEndpoint endpoint) {
        SkBuff skb = received(endpoint);
        byte[] bytes = Packets.bytes(skb);
        skb.free();
        return bytes;
    }

    @ParameterizedTest
    @CsvSource({"10.2.0.2, true", "fd02::2, false"})
    void aPingThroughTheRouterIsAnswered(String to, boolean isIpv4) {
        try (PingEndpoint ping = a.stack.openPing()) {
            assertThat(ping.send(network.payload(56), ip(to), 7)).isNull();
            network.settle();
            SkBuff answer = received(ping);
            assertThat(PingEndpoint.source(answer)).isEqualTo(ip(to));
            assertThat(PingEndpoint.sequence(answer)).isEqualTo(7);
            assertThat(Packets.bytes(answer)).isEqualTo(Packets.random(56, 56));
            answer.free();
        }
        assertThat(router.stack.counters().get(isIpv4, SnmpCounter.FORW_DATAGRAMS))
                .isEqualTo(2);
        assertThat(b.stack.counters().get(isIpv4, SnmpCounter.ICMP_IN_ECHOS)).isEqualTo(1);
        assertThat(b.stack.counters().get(isIpv4, SnmpCounter.ICMP_OUT_ECHO_REPS))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.0.1", "fd01::1", "127.0.0.1", "::1"})
    void aHostTalksToItselfOverItsLoopback(String own) {
        UdpEndpoint server = a.stack.ports().bind(PORT);
        UdpEndpoint client = a.stack.ports().bind(0);
        assertThat(client.sendTo(network.payload(9_000), ip(own), PORT)).isNull();
        network.settle();
        SkBuff skb = received(server);
        assertThat(UdpEndpoint.source(skb)).isEqualTo(ip(own));
        assertThat(UdpEndpoint.sourcePort(skb)).isEqualTo(client.port());
        skb.free();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.2.0.2", "fd02::2"})
    void aDatagramIsAnsweredAcrossTheRouter(String to) {
        UdpEndpoint server = b.stack.ports().bind(ip(to), PORT);
        UdpEndpoint client = a.stack.ports().bind(0);
        client.connect(ip(to), PORT);
        assertThat(client.send(network.payload(100))).isNull();
        network.settle();
        SkBuff question = received(server);
        Gid asker = UdpEndpoint.source(question);
        int port = UdpEndpoint.sourcePort(question);
        question.free();
        assertThat(server.sendTo(network.payload(200), asker, port)).isNull();
        network.settle();
        assertThat(take(client)).isEqualTo(Packets.random(200, 200));
    }

    /** The router reports the next link's MTU; the sender stores it for ten minutes. */
    @ParameterizedTest
    @CsvSource({"10.2.0.2, true", "fd02::2, false"})
    @Covers("SKB-34")
    void theMtuOfThePathIsFoundOut(String to, boolean isIpv4) {
        UdpEndpoint server = b.stack.ports().bind(PORT);
        UdpEndpoint client = a.stack.ports().bind(0);
        client.options().mtuDiscover(PmtuDiscovery.DO);
        client.connect(ip(to), PORT);
        assertThat(client.pathMtu(() -> network.nowNs)).isEqualTo(1500);

        assertThat(client.send(network.payload(1400))).isNull();
        network.settle();
        assertThat(server.waiting()).isZero();
        assertThat(router.stack.counters().get(isIpv4, SnmpCounter.FRAG_FAILS)).isEqualTo(1);
        assertThat(client.takeError()).isEqualTo(Errno.EMSGSIZE);
        assertThat(client.takeError()).isNull();
        assertThat(client.pathMtu(() -> network.nowNs)).isEqualTo(SMALL_MTU);

        assertThat(client.send(network.payload(1400)))
                .as("told at once from now on")
                .isEqualTo(Errno.EMSGSIZE);
        assertThat(client.send(network.payload(1200))).isNull();
        network.settle();
        assertThat(take(server)).hasSize(1200);

        client.options().mtuDiscover(PmtuDiscovery.PROBE);
        assertThat(client.send(network.payload(1400)))
                .as("tried whatever is known")
                .isNull();
        network.settle();
        assertThat(router.stack.counters().get(isIpv4, SnmpCounter.FRAG_FAILS)).isEqualTo(2);
        client.takeError();

        client.options().mtuDiscover(PmtuDiscovery.WANT);
        assertThat(client.send(network.payload(1400))).isNull();
        network.settle();
        assertThat(take(server)).as("cut here").hasSize(1400);
        assertThat(a.stack.counters().get(isIpv4, SnmpCounter.FRAG_CREATES)).isEqualTo(2);

        network.pass(10 * 60 * 1000 + 1);
        assertThat(client.pathMtu(() -> network.nowNs)).isEqualTo(1500);
    }

    @Test
    @Covers("SKB-34")
    void withoutDiscoveryTheRouterCuts() {
        UdpEndpoint server = b.stack.ports().bind(PORT);
        UdpEndpoint client = a.stack.ports().bind(0);
        client.options().mtuDiscover(PmtuDiscovery.DONT);
        assertThat(client.sendTo(network.payload(1400), ip("10.2.0.2"), PORT)).isNull();
        network.settle();
        assertThat(take(server)).isEqualTo(Packets.random(1400, 1400));
        assertThat(a.count(SnmpCounter.FRAG_CREATES)).isZero();
        assertThat(router.count(SnmpCounter.FRAG_CREATES)).isEqualTo(2);
        assertThat(b.count(SnmpCounter.REASM_OKS)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.2.0.2", "fd02::2"})
    void theLargestDatagramIsCutAndPutTogetherAgain(String to) {
        UdpEndpoint server = b.stack.ports().bind(PORT);
        UdpEndpoint client = a.stack.ports().bind(0);
        client.options().mtuDiscover(PmtuDiscovery.DONT);
        int most = 0xFFFF - 20 - 8;
        boolean isIpv4 = ip(to).isIpv4();
        int length = isIpv4 ? most : most - 20;
        // Routers do not fragment IPv6: the sender needs the path MTU.
        client.sendTo(network.payload(1400), ip(to), PORT);
        network.settle();
        for (SkBuff first = server.receive(); first != null; first = server.receive()) {
            first.free();
        }
        assertThat(client.sendTo(network.payload(length), ip(to), PORT)).isNull();
        network.settle();
        assertThat(take(server)).isEqualTo(Packets.random(length, length));
        assertThat(client.sendTo(network.payload(length + 30), ip(to), PORT)).isEqualTo(Errno.EMSGSIZE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.2.0.2", "fd02::2"})
    void aPortThatNobodyHasRefusesTheConnection(String to) {
        UdpEndpoint client = a.stack.ports().bind(0);
        client.connect(ip(to), PORT);
        assertThat(client.send(network.payload(10))).isNull();
        network.settle();
        assertThat(b.count(SnmpCounter.UDP_NO_PORTS)).isEqualTo(1);
        assertThat(client.send(network.payload(10))).isEqualTo(Errno.ECONNREFUSED);
        UdpEndpoint other = a.stack.ports().bind(0);
        other.sendTo(network.payload(10), ip(to), PORT);
        network.settle();
        assertThat(other.takeError()).as("who has no peer is not told").isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "UNREACHABLE, EHOSTUNREACH",
        "PROHIBIT, EACCES",
        "BLACKHOLE, EINVAL",
    })
    @Covers("SKB-17")
    void aRouteMayRefusePackets(RouteType type, Errno error) {
        for (String prefix : new String[] {"10.9.0.0/16", "fd09::/16"}) {
            IpPrefix to = IpPrefix.parse(prefix);
            Gid host = new Gid(to.network().prefix(), to.network().interfaceId() + 1);
            router.stack.routes().add(Route.reject(to, type));
            try (PingEndpoint ping = a.stack.openPing()) {
                assertThat(ping.send(network.payload(10), host, 1)).isNull();
                network.settle();
                boolean silent = type == RouteType.BLACKHOLE;
                assertThat(ping.takeError()).isEqualTo(silent ? null : error);
            }
            try (PingEndpoint ping = router.stack.openPing()) {
                assertThat(ping.send(network.payload(10), host, 1))
                        .as("senders of this host are told at once")
                        .isEqualTo(error);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.2.0.2", "fd02::2"})
    void aPacketWithoutHopsLeftComesToAnEnd(String to) {
        try (PingEndpoint ping = a.stack.openPing()) {
            ping.options().hopLimit(1);
            ping.send(network.payload(10), ip(to), 1);
            network.settle();
            assertThat(ping.takeError()).isEqualTo(Errno.EHOSTUNREACH);
            assertThat(a.count(SnmpCounter.ICMP_IN_TIME_EXCDS)).isEqualTo(1);
            ping.options().hopLimit(2);
            ping.send(network.payload(10), ip(to), 2);
            network.settle();
            assertThat(take(ping)).hasSize(10);
        }
    }

    @Test
    void aHostThatIsNoRouterPassesNothingOn() {
        router.stack.setForwarding(false);
        try (PingEndpoint ping = a.stack.openPing()) {
            ping.send(network.payload(10), ip("10.2.0.2"), 1);
            network.settle();
            assertThat(ping.waiting()).isZero();
            assertThat(router.count(SnmpCounter.IN_ADDR_ERRORS)).isEqualTo(1);
        }
    }

    @Test
    void aDestinationWithoutRouteIsSaidSo() {
        UdpEndpoint client = router.stack.ports().bind(0);
        assertThat(client.sendTo(network.payload(10), ip("192.0.2.1"), PORT)).isEqualTo(Errno.ENETUNREACH);
        assertThat(router.count(SnmpCounter.OUT_NO_ROUTES) + router.count(SnmpCounter.UDP_OUT_DATAGRAMS))
                .isZero();
        try (PingEndpoint ping = a.stack.openPing()) {
            ping.send(network.payload(10), ip("192.0.2.1"), 1);
            network.settle();
            assertThat(ping.takeError()).isEqualTo(Errno.ENETUNREACH);
        }
    }
}
