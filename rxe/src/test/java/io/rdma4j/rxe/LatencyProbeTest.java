// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.rxe.carrier.LatencyProbe;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Port;
import io.rdma4j.verbs.device.PortCapability;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LatencyProbeTest {
    private static final int IPV4_BYTES = 20;

    /** The reply to an echo request: addresses swapped, another type, and the adjusted checksum. */
    private static byte[] answer(byte[] request) {
        ByteBuffer bytes = ByteBuffer.wrap(request.clone());
        bytes.putInt(12, ByteBuffer.wrap(request).getInt(16))
                .putInt(16, ByteBuffer.wrap(request).getInt(12));
        bytes.put(IPV4_BYTES, (byte) 0);
        int sum = Short.toUnsignedInt(bytes.getShort(IPV4_BYTES + 2)) + 0x0800;
        bytes.putShort(IPV4_BYTES + 2, (short) ((sum & 0xFFFF) + (sum >>> 16)));
        return bytes.array();
    }

    @Test
    @Covers("PORT-42")
    void theRoundTripIsTheTimeToTheAnswer() {
        try (Bench bench = new Bench(Set.of());
                LatencyProbe probe = new LatencyProbe(bench.port.netLoop(), bench.port.stack())) {
            bench.network.ip().set(List.of(InterfaceAddress.parse("10.1.0.1/24")));
            probe.ask(Bench.PEER_V4);
            bench.run();
            assertThat(bench.link.sent).hasSize(1);
            assertThat(probe.answerNs(Bench.PEER_V4)).isEqualTo(LatencyProbe.NO_ANSWER);
            bench.now += 7_000;
            bench.link.arrive(answer(bench.link.sent.getFirst()));
            bench.run();
            assertThat(probe.answerNs(Bench.PEER_V4)).isEqualTo(7_000);
        }
    }

    @Test
    @Covers("PORT-42")
    void twoPortsMeasureTheCableBetweenThem() {
        try (ConformanceTarget cable = RxeTargets.hosted()) {
            Port port = cable.first().port(1);
            assertThat(port.query().capabilities()).contains(PortCapability.LINK_LATENCY_SUP);
            Gid peer = cable.second().queryGid(1, 0);
            assertThat(port.measureLatency(peer, Duration.ofSeconds(20))).isPositive();
        }
    }

    @Test
    @Covers("PORT-42")
    void whoDoesNotAnswerIsTooFar() {
        try (ConformanceTarget cable = RxeTargets.hosted()) {
            Port port = cable.first().port(1);
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> port.measureLatency(Gid.parse("::ffff:10.9.8.99"), Duration.ofMillis(20)))
                    .satisfies(e -> assertThat(e.errno()).isIn(Errno.ETIMEDOUT, Errno.ENETUNREACH, Errno.EHOSTUNREACH));
        }
    }

    /** A device that sends only UDP datagrams cannot send echo requests. */
    @Test
    @Covers("PORT-42")
    void aPortOverSocketsCannotMeasure() {
        try (Bench sockets = new Bench(Set.of(PrivateFlag.UDP_ONLY))) {
            Port port = sockets.context.port(1);
            assertThat(port.query().capabilities()).doesNotContain(PortCapability.LINK_LATENCY_SUP);
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> port.measureLatency(Bench.PEER_V4, Duration.ofSeconds(1)))
                    .withMessageContaining("LINK_LATENCY_SUP")
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        }
    }
}
