// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.route.Route;
import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.rxe.carrier.NetworkPath;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkPathTest {
    /** 0xC000, or-ed with the low 14 bits xor the high 6 bits of the label. */
    @ParameterizedTest
    @CsvSource({
        "0x00001,0xC001",
        "0x03FFF,0xFFFF",
        "0x04000,0xC001",
        "0xFC000,0xC03F",
        "0xFFFFF,0xFFC0",
        "0xABCDE,0xFCF4"
    })
    @Covers("RXE-28")
    void aFlowLabelMakesThePort(String label, String port) {
        assertThat(NetworkPath.flowPort(Integer.decode(label), 0x11, 0x12)).isEqualTo(Integer.decode(port));
    }

    /** 0x11 · 0x12 = 0x132; 0x123456 · 0x654321 = 0x733_6BF9_4116, folded by 20 and 40 bits. */
    @ParameterizedTest
    @CsvSource({"0x11,0x12,0xC132", "0x12,0x11,0xC132", "0x123456,0x654321,0xF787"})
    @Covers("RXE-66")
    void withoutFlowLabelTheQueuePairsMakeThePort(String local, String remote, String port) {
        assertThat(NetworkPath.flowPort(0, Integer.decode(local), Integer.decode(remote)))
                .isEqualTo(Integer.decode(port));
    }

    @Test
    void bothSidesOfAConnectionUseTheSamePort() {
        assertThat(NetworkPath.flowPort(0, 0x123456, 0x654321)).isEqualTo(NetworkPath.flowPort(0, 0x654321, 0x123456));
    }

    @Test
    @Covers("RXE-28")
    void portsAreSpreadOverTheDynamicRange() {
        Set<Integer> ports = new HashSet<>();
        for (int qpn = 0x11; qpn < 0x411; qpn++) {
            int port = NetworkPath.flowPort(0, qpn, 0xABC123);
            assertThat(port).isBetween(0xC000, 0xFFFF);
            ports.add(port);
        }
        assertThat(ports).hasSizeGreaterThan(900);
    }

    @ParameterizedTest
    @ValueSource(strings = {"::ffff:10.1.0.2", "fd00::1:2"})
    @Covers("RXE-138")
    void aPeerWhoseRouteIsUnreachableIsRefused(String address) {
        Gid peer = Gid.parse(address);
        IpPrefix prefix = IpPrefix.of(peer);
        try (Bench bench = new Bench(Set.of())) {
            Endpoint connected = bench.connected(peer, 14);
            bench.port.stack().routes().add(Route.reject(prefix, RouteType.UNREACHABLE));
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> bench.connected(peer, 14))
                    .withMessageContaining(peer.toString())
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EHOSTUNREACH));
            connected.qp.startSend().send().complete();
            bench.run();
            assertThat(bench.link.sent).isEmpty();
            assertThat(bench.network.stats().txDropped()).isEqualTo(1);
            bench.port.stack().routes().remove(prefix, 0);
            bench.connected(peer, 14).qp.startSend().send().complete();
            bench.run();
            assertThat(bench.link.sent).isNotEmpty();
        }
    }

    @Test
    @Covers("RXE-116")
    void headersAreAsLongAsTheirIpVersionSays() {
        GlobalRoute v4 = GlobalRoute.to(Bench.PEER_V4, 0);
        GlobalRoute v6 = GlobalRoute.to(Bench.PEER_V6, 1);
        assertThat(new NetworkPath(Bench.LOCAL_V4, Bench.PEER_V4, v4, 0, Rate.PORT_CURRENT, 1, 2).headerBytes())
                .isEqualTo(28);
        assertThat(new NetworkPath(Bench.LOCAL_V6, Bench.PEER_V6, v6, 0, Rate.PORT_CURRENT, 1, 2).headerBytes())
                .isEqualTo(48);
    }
}
