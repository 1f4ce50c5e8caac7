// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A device tells its peers a code, and waits for the time of the peer's code (IBA 9.7.5.2.8, table 46). */
class RnrTimerCodeTest {
    private static final int RNR_NAK = 0x20;
    private static final int AETH = 20 + 8 + 12;

    /** Microseconds, by code. */
    private static final int[] MICROSECONDS = {
        655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840, 5120, 7680, 10_240,
        15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840, 245_760, 327_680, 491_520
    };

    static IntStream codes() {
        return IntStream.range(0, MICROSECONDS.length);
    }

    @ParameterizedTest
    @MethodSource("codes")
    @Covers("QP-71")
    void aDeviceSendsItsCodeAndWaitsForThatOfThePeer(int code) {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint endpoint = bench.endpoint();
            LinkSetup link = new LinkSetup(Mtu.MTU_1024, Bench.FIRST_PSN, 0, 7, 7, code, 1);
            AddressVector path = AddressVector.global(1, GlobalRoute.to(Bench.PEER_V4, 0));
            Transitions.connect(endpoint.qp, Set.of(), link, Bench.PEER_QPN, path);

            bench.link.arrive(packet(endpoint).payload(new byte[4]).bytes());
            bench.run();
            assertThat(bench.link.sent).hasSize(1);
            assertThat(bench.link.sent.getFirst()[AETH]).isEqualTo((byte) (RNR_NAK | code));

            endpoint.postSend(1, 0, 8);
            bench.run();
            assertThat(bench.link.sent).hasSize(2);
            bench.link.arrive(packet(endpoint)
                    .opcode(PlainPacket.ACKNOWLEDGE)
                    .extended((RNR_NAK | code) << 24)
                    .bytes());
            bench.run();
            bench.now += MICROSECONDS[code] * 1000L - 1;
            bench.run();
            assertThat(bench.link.sent).as("a nanosecond before its time").hasSize(2);
            bench.now++;
            bench.run();
            assertThat(bench.link.sent).as("at its time").hasSize(3);
        }
    }

    private static PlainPacket packet(Endpoint to) {
        return new PlainPacket(Bench.PEER_V4, Bench.LOCAL_V4).qpn(to.qp.qpn()).psn(Bench.FIRST_PSN);
    }
}
