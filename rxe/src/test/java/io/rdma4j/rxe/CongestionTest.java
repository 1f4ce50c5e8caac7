// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.transport.port.CongestionControl;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.ip.Ecn;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Congestion marks and notifications in packets. */
class CongestionTest {
    private static final int CNP = 0x81;
    private static final int[] RESERVED = new int[4];

    /** DSCP 26, and ECN bits of the application. */
    private static final int TRAFFIC_CLASS = 26 << 2 | Ecn.ECT_1;

    static Stream<Gid> peers() {
        return Stream.of(Bench.PEER_V4, Bench.PEER_V6);
    }

    private static Gid local(Gid peer) {
        return peer.isIpv4() ? Bench.LOCAL_V4 : Bench.LOCAL_V6;
    }

    private static Bench controlled() {
        TransportOptions transport = TransportOptions.DEFAULT.withCongestionControl(CongestionControl.DEFAULT);
        return new Bench(Set.of(), ProgressMode.MANUAL, options -> options.withTransport(transport));
    }

    private static Endpoint connected(Bench bench, Gid peer) {
        Endpoint endpoint = bench.endpoint();
        Bench.connect(endpoint.qp, new GlobalRoute(peer, 0, peer.isIpv4() ? 0 : 1, 64, TRAFFIC_CLASS), 14);
        return endpoint;
    }

    private static PlainPacket message(Endpoint to, Gid peer) {
        return new PlainPacket(peer, local(peer))
                .qpn(to.qp.qpn())
                .psn(Bench.FIRST_PSN)
                .payload(new byte[] {1, 2, 3, 4});
    }

    private static byte[] notification(Endpoint to, Gid peer) {
        return new PlainPacket(peer, local(peer))
                .opcode(CNP)
                .qpn(to.qp.qpn())
                .extended(RESERVED)
                .bytes();
    }

    private static int codepoint(byte[] packet) {
        return Ecn.codepoint(MemorySegment.ofArray(packet), 0);
    }

    @ParameterizedTest
    @MethodSource("peers")
    void aMarkedPacketIsAnsweredByANotification(Gid peer) {
        try (Bench bench = controlled()) {
            Endpoint to = connected(bench, peer);
            to.postReceive(1, 0, 256);
            bench.link.arrive(message(to, peer).route(Ecn.CE, 0, 64).bytes());
            bench.run();
            assertThat(to.receiveCq.poll(1)).hasSize(1);
            byte[] cnp = bench.link.sent.getFirst();
            int bth = peer.isIpv4() ? 28 : 48;
            assertThat(cnp).hasSize(bth + 12 + 16 + 4);
            assertThat(cnp[bth] & 0xFF).isEqualTo(CNP);
            assertThat(bench.port.counters().sentCnps).isEqualTo(1);
            assertThat(bench.port.counters().ecnMarkedPackets).isEqualTo(1);
        }
    }

    @Test
    void aPacketThatCouldHaveBeenMarkedIsNot() {
        try (Bench bench = controlled()) {
            Endpoint to = connected(bench, Bench.PEER_V4);
            to.postReceive(1, 0, 256);
            bench.link.arrive(message(to, Bench.PEER_V4).route(Ecn.ECT_0, 0, 64).bytes());
            bench.run();
            assertThat(bench.link.sent).isEmpty();
            assertThat(bench.port.counters().ecnMarkedPackets).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("peers")
    void whoSlowsDownSaysSoInEveryPacket(Gid peer) {
        try (Bench bench = controlled()) {
            Endpoint from = connected(bench, peer);
            from.postSend(1, 0, 100);
            bench.run();
            byte[] packet = bench.link.sent.getFirst();
            assertThat(codepoint(packet)).isEqualTo(Ecn.ECT_0);
            int trafficClass = peer.isIpv4() ? packet[1] & 0xFF : (packet[0] & 0xF) << 4 | (packet[1] & 0xF0) >> 4;
            assertThat(trafficClass >> 2).isEqualTo(26);
        }
    }

    @Test
    void withoutControlTheTrafficClassIsTheApplications() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint from = connected(bench, Bench.PEER_V4);
            from.postSend(1, 0, 100);
            bench.run();
            assertThat(bench.link.sent.getFirst()[1]).isEqualTo((byte) TRAFFIC_CLASS);
        }
    }

    @Test
    void aNotificationTakesTheRateDown() {
        try (Bench bench = controlled()) {
            Endpoint to = connected(bench, Bench.PEER_V4);
            to.postSend(1, 0, 100);
            bench.run();
            bench.link.arrive(notification(to, Bench.PEER_V4));
            bench.run();
            assertThat(bench.port.counters().handledCnps).isEqualTo(1);
            assertThat(bench.port.inputCounters().dropped()).isZero();
        }
    }

    @Test
    void aNotificationForAConnectionThatHasSentNothingIsIgnored() {
        try (Bench bench = controlled()) {
            Endpoint to = connected(bench, Bench.PEER_V4);
            bench.link.arrive(notification(to, Bench.PEER_V4));
            bench.run();
            assertThat(bench.port.counters().ignoredCnps).isEqualTo(1);
            assertThat(bench.port.counters().handledCnps).isZero();
        }
    }

    @Test
    void datagramsComeFromEverybodyAndNobodyIsToldOfThem() {
        try (Bench bench = controlled()) {
            Endpoint to = bench.endpoint(EndpointSetup.DEFAULT.type(QpType.UD));
            to.connectTo(to, LinkSetup.DEFAULT);
            bench.link.arrive(notification(to, Bench.PEER_V4));
            bench.run();
            assertThat(bench.port.inputCounters().wrongType).isEqualTo(1);
        }
    }

    @Test
    void withoutControlItIsCountedAndIgnored() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint to = connected(bench, Bench.PEER_V4);
            bench.link.arrive(notification(to, Bench.PEER_V4));
            bench.run();
            assertThat(bench.port.counters().ignoredCnps).isEqualTo(1);
            assertThat(bench.port.counters().handledCnps).isZero();
            assertThat(bench.port.inputCounters().dropped()).isZero();
        }
    }
}
