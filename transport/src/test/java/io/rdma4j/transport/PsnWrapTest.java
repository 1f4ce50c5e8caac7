// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.wire.CreditCode;
import io.rdma4j.wire.Syndrome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sequence numbers run on from 2^24 - 1 to 0 without anybody noticing. */
@Covers("RXE-163")
class PsnWrapTest {
    /** Four packets before the wrap. */
    private static final int PSN = 0xFF_FFFC;

    private static EnginePair pair(Mode mode) {
        return new EnginePair(new PairSettings().mode(mode).psnA(PSN).mtu(Mtu.MTU_256));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void messageAcrossTheWrapArrives(Mode mode) {
        try (EnginePair pair = pair(mode)) {
            TestRegion target = pair.postReceives(1, 10 * 256);
            TestRegion source = pair.postSends(1, 10 * 256);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 2560)).isTrue();
            assertThat(pair.network.responses()).extracting(Parcel::toString).containsExactly("ACK 5");
            assertThat(pair.a.engine.query().sqPsn()).isEqualTo(6);
            assertThat(pair.b.engine.query().rqPsn()).isEqualTo(6);
        }
    }

    @Test
    void messageThatEndsAtTheWrapLeavesBothSidesAtZero() {
        try (EnginePair pair = pair(Mode.WHOLE)) {
            pair.postReceives(1, 4 * 256);
            pair.postSends(1, 4 * 256);
            pair.settle();
            assertThat(pair.a.engine.query().sqPsn()).isZero();
            assertThat(pair.b.engine.query().rqPsn()).isZero();
        }
    }

    @Test
    void windowIsMeasuredAcrossTheWrap() {
        try (EnginePair pair = pair(Mode.CUT)) {
            pair.postReceives(1, 500 * 256);
            pair.postSends(1, 500 * 256);
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(128);
            assertThat(pair.network.inFlight().getLast().psn).isEqualTo(123);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void packetBeforeTheWrapIsADuplicateAfterIt() {
        try (EnginePair pair = pair(Mode.CUT)) {
            pair.postReceives(8, 10);
            pair.postSends(6, 10);
            pair.transmit();
            pair.network.duplicate(0);
            pair.network.duplicate(3);
            pair.settle();
            assertThat(pair.b.counters().duplicateRequests).isEqualTo(2);
            assertThat(pair.b.receiveCompletions()).hasSize(6);
            assertThat(pair.network.responses()).extracting(Parcel::toString).containsExactly("ACK 1");
        }
    }

    @Test
    void gapAtTheWrapIsReportedAndMended() {
        try (EnginePair pair = pair(Mode.CUT)) {
            TestRegion target = pair.postReceives(1, 2560);
            TestRegion source = pair.postSends(1, 2560);
            pair.network.loseNext(parcel -> parcel.psn == 0);
            pair.transmit();
            pair.network.forgetSent();
            pair.settle();
            assertThat(pair.network.responses())
                    .extracting(Parcel::toString)
                    .containsExactly("NAK PSN sequence error 0", "ACK 5");
            assertThat(pair.network.requests()).extracting(parcel -> parcel.psn).containsExactly(0, 1, 2, 3, 4, 5);
            assertThat(EnginePair.sameBytes(source, target, 2560)).isTrue();
        }
    }

    @Test
    void acknowledgementsBeforeAndAfterTheWrapCompleteWhatTheySpeakOf() {
        try (EnginePair pair = pair(Mode.WHOLE)) {
            pair.postSends(8, 10);
            pair.transmit();
            pair.network.dropAll();
            int ack = Syndrome.ack(CreditCode.UNLIMITED);
            pair.responseToA(ack, PSN + 1);
            assertThat(pair.a.sendResults()).isEqualTo(List.of("0 SUCCESS", "1 SUCCESS"));
            pair.responseToA(ack, 2);
            assertThat(pair.a.sendResults()).hasSize(5);
            pair.responseToA(ack, PSN + 3);
            assertThat(pair.a.sendResults()).isEmpty();
            pair.responseToA(ack, 3);
            assertThat(pair.a.sendResults()).isEqualTo(List.of("7 SUCCESS"));
        }
    }

    @Test
    void retriesGoBackAcrossTheWrap() {
        try (EnginePair pair = pair(Mode.CUT)) {
            TestRegion target = pair.postReceives(1, 2560);
            TestRegion source = pair.postSends(1, 2560);
            pair.network.lose(Parcel::isRequest);
            pair.transmit();
            pair.network.loseNothing();
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.a.counters().retransmittedPackets).isEqualTo(10);
            assertThat(EnginePair.sameBytes(source, target, 2560)).isTrue();
        }
    }
}
