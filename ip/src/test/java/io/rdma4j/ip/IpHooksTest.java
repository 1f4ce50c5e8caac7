// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.Network.ip;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.ip.filter.FilterAction;
import io.rdma4j.ip.filter.FilterMatch;
import io.rdma4j.ip.filter.FilterRule;
import io.rdma4j.ip.filter.FilterTable;
import io.rdma4j.ip.filter.FilterVerdict;
import io.rdma4j.ip.filter.FlowTimeouts;
import io.rdma4j.ip.filter.FlowTracker;
import io.rdma4j.ip.route.Route;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.skb.FlowHash;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.packet.FlowState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Filters in the packet path between two hosts and the router between them. */
class IpHooksTest {
    private static final int PORT = 4791;

    private final Network network = new Network();
    private final Network.Host a = network.host("a");
    private final Network.Host router = network.host("r");
    private final Network.Host b = network.host("b");
    private final FilterTable table = new FilterTable("filter", router.stack.hooks(), 0);
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void connect() {
        network.link(a, "10.1.0.1/24 fd01::1/64", router, "10.1.0.254/24 fd01::fe/64", 1500);
        network.link(router, "10.2.0.254/24 fd02::fe/64", b, "10.2.0.2/24 fd02::2/64", 1500);
        router.stack.setForwarding(true);
        for (Network.Host host : List.of(a, b)) {
            int link = host == a ? 1 : 2;
            host.stack.routes().add(Route.via(IpPrefix.ALL_IPV4, ip("10." + link + ".0.254")));
            host.stack.routes().add(Route.via(IpPrefix.ALL_IPV6, ip("fd0" + link + "::fe")));
        }
    }

    @AfterEach
    void close() {
        network.close();
    }

    private void watch(Network.Host host, HookPoint point) {
        host.stack.hooks().register(point, 100, (where, skb, in, out) -> {
            seen.add(where + " " + (in == null ? "-" : in.name()) + " > " + (out == null ? "-" : out.name()) + " mark "
                    + skb.marks().mark());
            return true;
        });
    }

    private @Nullable Errno send(UdpEndpoint from, String to, int port) {
        Errno error = from.sendTo(network.payload(100), ip(to), port);
        network.settle();
        return error;
    }

    private static int drain(UdpEndpoint endpoint) {
        int received = 0;
        for (SkBuff skb = endpoint.receive(); skb != null; skb = endpoint.receive()) {
            skb.free();
            received++;
        }
        return received;
    }

    @ParameterizedTest
    @CsvSource({"10.2.0.2,true", "fd02::2,false"})
    @Covers("SKB-74")
    void aMarkThatIsSetBeforeRoutingIsThereWhereverThePacketGoes(String to, boolean isIpv4) {
        UdpEndpoint server = b.stack.ports().bind(PORT);
        UdpEndpoint client = a.stack.ports().bind(0);
        send(client, to, PORT);
        table.append(HookPoint.PREROUTING, new FilterRule(FilterMatch.in("r-a"), FilterAction.mark(0x1234)));
        table.append(HookPoint.FORWARD, new FilterRule(FilterMatch.mark(0x1234), FilterAction.mark(0x2000, 0xF000)));
        for (HookPoint point : HookPoint.values()) {
            watch(router, point);
        }
        send(client, to, PORT);
        assertThat(seen)
                .containsExactly(
                        "PREROUTING r-a > - mark 4660", "FORWARD r-a > r-b mark 8756", "POSTROUTING - > r-b mark 8756");
        assertThat(drain(server)).isEqualTo(2);

        table.append(HookPoint.FORWARD, new FilterRule(FilterMatch.mark(0x2234), FilterAction.drop()));
        send(client, to, PORT);
        assertThat(drain(server)).isZero();
        assertThat(router.stack.counters().get(isIpv4, SnmpCounter.IN_DISCARDS)).isEqualTo(1);
        table.append(HookPoint.PREROUTING, new FilterRule(FilterMatch.all(), FilterAction.drop()));
        send(client, to, PORT);
        assertThat(router.stack.counters().get(isIpv4, SnmpCounter.IN_DISCARDS)).isEqualTo(2);
    }

    @Test
    void whatAHostSendsAndGetsItselfMeetsFiltersToo() {
        UdpEndpoint server = b.stack.ports().bind(PORT);
        UdpEndpoint client = a.stack.ports().bind(0);
        send(client, "10.2.0.2", PORT);
        watch(a, HookPoint.OUTPUT);
        watch(a, HookPoint.POSTROUTING);
        watch(b, HookPoint.PREROUTING);
        watch(b, HookPoint.INPUT);
        send(client, "10.2.0.2", PORT);
        assertThat(seen)
                .containsExactly(
                        "OUTPUT - > a-r mark 0",
                        "POSTROUTING - > a-r mark 0",
                        "PREROUTING b-r > - mark 0",
                        "INPUT b-r > - mark 0");
        assertThat(drain(server)).isEqualTo(2);

        b.stack.hooks().register(HookPoint.INPUT, 0, (_, _, _, _) -> false);
        send(client, "10.2.0.2", PORT);
        assertThat(drain(server)).isZero();
        assertThat(b.stack.counters().get(true, SnmpCounter.IN_DISCARDS)).isEqualTo(1);
        a.stack.hooks().register(HookPoint.POSTROUTING, 0, (_, _, _, _) -> false);
        assertThat(send(client, "10.2.0.2", PORT)).isNull();
        a.stack.hooks().register(HookPoint.OUTPUT, 0, (_, _, _, _) -> false);
        assertThat(send(client, "10.2.0.2", PORT)).as("the sender is told").isEqualTo(Errno.EPERM);
        assertThat(a.stack.counters().get(true, SnmpCounter.OUT_DISCARDS)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"10.1.0.1,10.2.0.2", "fd01::1,fd02::2"})
    @Covers({"SKB-44", "SKB-46"})
    void aRouterMayLetThroughOnlyAnswersAndErrorsAboutWhatWasAsked(String inside, String outside) {
        FlowTracker tracker = new FlowTracker(() -> network.nowNs, 64, FlowTimeouts.DEFAULT, new FlowHash(1));
        tracker.install(router.stack.hooks());
        FilterRule related = new FilterRule(FilterMatch.state(FlowState.RELATED), FilterAction.accept());
        table.policy(HookPoint.FORWARD, FilterVerdict.DROP);
        table.append(HookPoint.FORWARD, new FilterRule(FilterMatch.in("r-a"), FilterAction.accept()));
        table.append(
                HookPoint.FORWARD, new FilterRule(FilterMatch.state(FlowState.ESTABLISHED), FilterAction.accept()));
        table.append(HookPoint.FORWARD, related);
        UdpEndpoint server = b.stack.ports().bind(PORT);
        UdpEndpoint client = a.stack.ports().bind(PORT);

        send(server, inside, PORT);
        assertThat(drain(client)).as("nobody asked").isZero();
        send(client, outside, PORT);
        assertThat(drain(server)).isEqualTo(1);
        send(server, inside, PORT);
        assertThat(drain(client)).as("the answer").isEqualTo(1);

        client.connect(ip(outside), PORT + 1);
        send(client, outside, PORT + 1);
        assertThat(related.packets()).isEqualTo(1);
        assertThat(client.takeError()).as("nobody has that port").isEqualTo(Errno.ECONNREFUSED);
        tracker.remove(router.stack.hooks());
    }
}
