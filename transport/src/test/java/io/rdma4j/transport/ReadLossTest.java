// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.CreditCode;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Reth;
import io.rdma4j.wire.Syndrome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA READ when requests or answers are lost, doubled or late. */
class ReadLossTest {
    private static EnginePair cut() {
        return new EnginePair(new PairSettings().rdma(4).mode(Mode.CUT));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 8, 9})
    @Covers({"RXE-181", "RXE-224", "RXE-189", "RXE-95"})
    void restIsAskedForFromTheMissingAnswerOn(int lost) {
        try (EnginePair pair = cut()) {
            TestRegion source = pair.b.shared(10_000).filled(6);
            TestRegion target = pair.a.region(10_000);
            pair.network.loseNext(parcel -> !parcel.isRequest() && parcel.psn == 100 + lost);
            pair.a.read(1, source.first(0), target.first(10_000));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 10_000)).isTrue();
            assertThat(pair.network.requests()).extracting(parcel -> parcel.psn).containsExactly(100, 100 + lost);
        }
    }

    @Test
    void requestThatIsLostIsSentAgainWhole() {
        try (EnginePair pair = cut()) {
            TestRegion source = pair.b.shared(5000).filled(6);
            TestRegion target = pair.a.region(5000);
            pair.network.loseNext(Parcel::isRequest);
            pair.a.read(1, source.first(0), target.first(5000));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 5000)).isTrue();
            assertThat(pair.network.responses()).hasSize(5);
        }
    }

    @Test
    void newRequestNeverReachesOverThePartThatIsAskedForAgain() {
        PairSettings settings = new PairSettings().rdma(4).mode(Mode.CUT).mtu(Mtu.MTU_256);
        try (EnginePair pair = new EnginePair(settings)) {
            int bytes = 256 * 100;
            TestRegion source = pair.b.shared(bytes).filled(6);
            TestRegion target = pair.a.region(bytes);
            pair.network.loseNext(parcel -> !parcel.isRequest() && parcel.psn == 150);
            pair.a.read(1, source.first(0), target.first(bytes));
            pair.transmit();
            pair.deliver();
            pair.transmit();
            pair.deliver();
            pair.transmit();
            Parcel again = pair.network.requests().stream()
                    .filter(parcel -> parcel.psn == 150)
                    .findFirst()
                    .orElseThrow();
            int reth = again.skb.data() + again.opcode.offsetOf(Header.RETH);
            assertThat(Reth.dmaLength(again.skb.memory(), reth)).isEqualTo(256 * 14);
            assertThat(Reth.virtualAddress(again.skb.memory(), reth)).isEqualTo(source.address() + 256 * 50);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, bytes)).isTrue();
        }
    }

    @Test
    @Covers("RXE-189")
    void doubledRequestIsCarriedOutAgainAndItsAnswersDoNoHarm() {
        try (EnginePair pair = cut()) {
            TestRegion source = pair.b.shared(3000).filled(6);
            TestRegion target = pair.a.region(3000);
            pair.a.read(1, source.first(0), target.first(3000));
            pair.transmit();
            pair.network.duplicate(0);
            pair.network.deliver(0, pair.nowNs());
            pair.transmit();
            pair.settle();
            assertThat(pair.network.responses()).hasSize(6);
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(pair.a.state()).isEqualTo(QpState.RTS);
        }
    }

    @Test
    void stragglerOfAnAnsweredReadDoesNotKeepTheNextOneOut() {
        try (EnginePair pair = new EnginePair(new PairSettings().rdma(1).mode(Mode.CUT))) {
            TestRegion source = pair.b.shared(100).filled(6);
            TestRegion target = pair.a.region(100);
            pair.a.read(1, source.first(0), target.first(10));
            pair.transmit();
            pair.network.duplicate(0);
            pair.network.deliver(0, pair.nowNs());
            pair.b.engine.pollTransmit(pair.nowNs(), 10);
            pair.network.deliver(1, pair.nowNs());
            pair.a.read(2, source.piece(10, 0), target.piece(10, 10));
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(2);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 20)).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 0", "0, 1, 0", "0, 0, 1"})
    @Covers("RXE-189")
    void repetitionThatAsksForSomethingElseIsDropped(int keyOff, int addressOff, int lengthOff) {
        try (EnginePair pair = cut()) {
            TestRegion source = pair.b.shared(3000);
            pair.requestToB(Opcode.RC_READ_REQUEST, 100, source.first(0), 3000, 0);
            pair.transmit();
            pair.network.dropAll();
            pair.network.forgetSent();
            TestRegion.Piece other =
                    new TestRegion.Piece(source.lkey() + keyOff, source.address() + 1024 + addressOff, 0);
            pair.requestToB(Opcode.RC_READ_REQUEST, 101, other, 3000 - 1024 + lengthOff, 0);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
            pair.requestToB(Opcode.RC_READ_REQUEST, 101, source.piece(1024, 0), 3000 - 1024, 0);
            pair.transmit();
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly("RC RDMA READ Response First 101", "RC RDMA READ Response Last 102");
        }
    }

    @Test
    void repetitionOfWhatIsForgottenIsDropped() {
        try (EnginePair pair = new EnginePair(new PairSettings().rdma(1))) {
            TestRegion source = pair.b.shared(100);
            pair.requestToB(Opcode.RC_READ_REQUEST, 100, source.first(0), 10, 0);
            pair.transmit();
            pair.requestToB(Opcode.RC_READ_REQUEST, 101, source.first(0), 10, 0);
            pair.transmit();
            pair.network.dropAll();
            pair.network.forgetSent();
            pair.requestToB(Opcode.RC_READ_REQUEST, 100, source.first(0), 10, 0);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @Test
    void answerAcknowledgesEverythingBeforeIt() {
        try (EnginePair pair = cut()) {
            TestRegion source = pair.b.shared(100).filled(1);
            TestRegion target = pair.a.region(100);
            pair.postReceives(2, 10);
            pair.a.send(1);
            pair.a.send(2);
            pair.a.read(3, source.first(0), target.first(10));
            pair.transmit();
            pair.deliver();
            pair.transmit();
            pair.network.inFlight().stream()
                    .filter(parcel -> parcel.opcode == Opcode.RC_ACKNOWLEDGE)
                    .toList()
                    .forEach(ack -> pair.network.drop(pair.network.inFlight().indexOf(ack)));
            assertThat(pair.network.inFlight()).hasSize(1);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        }
    }

    @Test
    @Covers("RXE-214")
    void acknowledgementFromBehindAnUnansweredReadMeansThatTheAnswerWasLost() {
        try (EnginePair pair = cut()) {
            TestRegion source = pair.b.shared(100).filled(1);
            TestRegion target = pair.a.region(100);
            pair.postReceives(2, 10);
            pair.a.send(1);
            pair.a.read(2, source.first(0), target.first(10));
            pair.a.send(3);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(Syndrome.ack(CreditCode.UNLIMITED), 102);
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            pair.network.forgetSent();
            pair.transmit();
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly("RC RDMA READ Request 101", "RC SEND Only 102");
            assertThat(pair.a.counters().retries).isEqualTo(1);
            // A second one tells nothing new.
            pair.responseToA(Syndrome.ack(CreditCode.UNLIMITED), 102);
            assertThat(pair.a.counters().retries).isEqualTo(1);
        }
    }

    @Test
    void rnrNakBehindAReadWaitsAfterTheReadIsAnswered() {
        try (EnginePair pair = cut()) {
            TestRegion source = pair.b.shared(3000).filled(1);
            TestRegion target = pair.a.region(3000);
            pair.a.read(1, source.first(0), target.first(3000));
            pair.a.send(2);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(pair.a.counters().receivedRnrNaks).isEqualTo(1);
            pair.postReceives(1, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS");
        }
    }

    @Test
    void gapBeforeAReadIsReportedAndAllIsSentAgain() {
        try (EnginePair pair = cut()) {
            TestRegion source = pair.b.shared(3000).filled(1);
            TestRegion target = pair.a.region(3000);
            pair.postReceives(1, 10);
            pair.network.loseNext(parcel -> parcel.psn == 100);
            pair.a.send(1);
            pair.a.read(2, source.first(0), target.first(3000));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 3000)).isTrue();
            assertThat(pair.a.counters().receivedSequenceNaks).isEqualTo(1);
        }
    }

    @Test
    @Covers("RXE-224")
    void readThatIsNeverAnsweredEndsWithTheRetriesExceeded() {
        try (EnginePair pair = cut()) {
            pair.network.lose(parcel -> !parcel.isRequest());
            pair.a.read(1, pair.b.shared(10).first(0), pair.a.region(10).first(10));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 RETRY_EXC_ERR");
            assertThat(pair.network.requests()).hasSize(8);
        }
    }

    @Test
    void sequenceNumbersMayWrapWithinTheAnswer() {
        try (EnginePair pair =
                new EnginePair(new PairSettings().rdma(2).mode(Mode.CUT).psnA(0xFF_FFFD))) {
            TestRegion source = pair.b.shared(20_000).filled(6);
            TestRegion target = pair.a.region(20_000);
            pair.network.loseNext(parcel -> !parcel.isRequest() && parcel.psn == 2);
            pair.a.read(1, source.first(0), target.first(10_000));
            pair.a.read(2, source.piece(10_000, 0), target.piece(10_000, 10_000));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 20_000)).isTrue();
        }
    }

    @Test
    @Covers({"QP-52", "QP-56"})
    void limitsThatChangeInTheMiddleForgetNothingThatIsUnderWay() {
        try (EnginePair pair = cut()) {
            TestRegion source = pair.b.shared(20_000).filled(6);
            TestRegion target = pair.a.region(20_000);
            for (int i = 0; i < 4; i++) {
                pair.a.read(i, source.piece(i * 5000L, 0), target.piece(i * 5000L, 5000));
            }
            pair.transmit();
            pair.deliver();
            pair.a.modify(QpAttributes.builder().maxRdAtomic(1));
            pair.b.modify(QpAttributes.builder().maxDestRdAtomic(7));
            pair.network.loseNext(parcel -> !parcel.isRequest() && parcel.psn == 107);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 20_000)).isTrue();
            pair.b.modify(QpAttributes.builder().maxDestRdAtomic(1));
            pair.a.read(4, source.first(0), target.first(10));
            pair.a.read(5, source.first(0), target.first(10));
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(1);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("4 SUCCESS", "5 SUCCESS");
        }
    }
}
