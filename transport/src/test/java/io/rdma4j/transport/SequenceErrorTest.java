// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Missing packets are reported once and sent again from exactly there. */
class SequenceErrorTest {
    private static final int NAK = Syndrome.nak(NakCode.PSN_SEQUENCE_ERROR);

    @Test
    @Covers({"RXE-169", "RXE-193", "RXE-95"})
    void sequenceNakMakesTheRequesterGoBackToItsPsn() {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(Mode.CUT).timeout(0))) {
            TestRegion target = pair.postReceives(4, 3000);
            TestRegion source = pair.postSends(4, 3000);
            pair.network.loseNext(parcel -> parcel.psn == 104);
            pair.transmit();
            pair.network.forgetSent();
            pair.settle();

            assertThat(pair.network.responses())
                    .extracting(Parcel::toString)
                    .containsExactly("NAK PSN sequence error 104", "ACK 111");
            assertThat(pair.network.requests())
                    .extracting(parcel -> parcel.psn)
                    .containsExactly(104, 105, 106, 107, 108, 109, 110, 111);
            assertThat(pair.network.requests().getFirst().opcode).isEqualTo(Opcode.RC_SEND_MIDDLE);
            assertThat(EnginePair.sameBytes(source, target, 12000)).isTrue();
            assertThat(pair.a.sendResults()).hasSize(4);
            assertThat(pair.a.counters().receivedSequenceNaks).isEqualTo(1);
            assertThat(pair.a.counters().retransmittedPackets).isEqualTo(8);
        }
    }

    @Test
    void nakAcknowledgesWhatCameBeforeItsPsn() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(3, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(NAK, 102);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
        }
    }

    @Test
    @Covers("RXE-169")
    void gapIsReportedOnceHoweverManyPacketsFollowIt() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(9, 10);
            for (int psn = 101; psn < 105; psn++) {
                pair.requestToB(Opcode.RC_SEND_ONLY, psn, true, 10);
                pair.transmit();
            }
            assertThat(pair.network.responses())
                    .extracting(Parcel::toString)
                    .containsExactly("NAK PSN sequence error 100");
            assertThat(pair.b.counters().outOfSequenceRequests).isEqualTo(4);

            // The next gap is another one.
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, false, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 102, true, 10);
            pair.transmit();
            assertThat(pair.network.responses().getLast()).hasToString("NAK PSN sequence error 101");
            assertThat(pair.b.receiveResults()).hasSize(1);
        }
    }

    @Test
    @Covers("RXE-222")
    void sameNakTwiceIsAnsweredOnce() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(3, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(NAK, 101);
            pair.transmit();
            pair.network.forgetSent();
            pair.responseToA(NAK, 101);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
            assertThat(pair.a.counters().retries).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void swappedPacketsOfOneBatchArriveWithoutATimer(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode).timeout(0))) {
            TestRegion target = pair.postReceives(2, 500);
            TestRegion source = pair.postSends(2, 500);
            pair.transmit();
            Collections.swap(pair.network.inFlight(), 0, 1);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 1000)).isTrue();
        }
    }

    @Test
    void messagesInReverseOrderAllArrive() {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(Mode.CUT))) {
            TestRegion target = pair.postReceives(10, 3000);
            TestRegion source = pair.postSends(10, 3000);
            pair.transmit();
            Collections.reverse(pair.network.inFlight());
            pair.run();
            assertThat(pair.a.sendResults()).hasSize(10).allMatch(result -> result.endsWith("SUCCESS"));
            assertThat(pair.b.receiveResults()).hasSize(10);
            assertThat(EnginePair.sameBytes(source, target, 30_000)).isTrue();
        }
    }

    @Test
    void acknowledgementOwedBeforeAGapIsNotLostWithTheGap() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(3, 10);
            pair.postSends(3, 10);
            pair.transmit();
            Collections.swap(pair.network.inFlight(), 1, 2);
            pair.deliver();
            pair.transmit();
            assertThat(pair.network.inFlight())
                    .extracting(Parcel::toString)
                    .containsExactly("NAK PSN sequence error 101");
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(3);
        }
    }

    @Test
    void lateAcknowledgementDuringARetryMovesTheRequesterOn() {
        try (EnginePair pair = new EnginePair(new PairSettings().budget(1))) {
            pair.postSends(5, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.network.forgetSent();
            pair.responseToA(NAK, 100);
            pair.a.engine.pollTransmit(pair.nowNs(), 1);
            pair.responseToA(Syndrome.ack(31), 102);
            pair.transmit();
            assertThat(pair.network.sent()).extracting(parcel -> parcel.psn).containsExactly(100, 103, 104);
            assertThat(pair.a.sendResults()).hasSize(3);
        }
    }

    @Test
    @Covers({"QP-49", "RXE-224", "CQ-40"})
    void sequenceNaksWithoutProgressUseUpTheRetries() {
        try (EnginePair pair = new EnginePair(new PairSettings().retryCount(0).timeout(0))) {
            pair.postSends(2, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(NAK, 100);
            assertThat(pair.a.sendResults()).containsExactly("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR");
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        }
    }
}
