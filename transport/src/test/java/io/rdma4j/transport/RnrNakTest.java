// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.RnrTimer;
import io.rdma4j.wire.Syndrome;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A receiver without a posted receive asks the sender to wait (IBA 9.7.5.2.8). */
class RnrNakTest {
    static IntStream timerCodes() {
        return IntStream.range(0, RnrTimer.CODES);
    }

    @ParameterizedTest
    @MethodSource("timerCodes")
    @Covers({"QP-67", "RXE-225", "RXE-230", "RXE-196", "RXE-173"})
    void nothingLeavesBeforeThePeersTimerEnds(int code) {
        try (EnginePair pair = new EnginePair(new PairSettings().minRnrTimer(code))) {
            pair.postSends(2, 10);
            pair.settle();
            assertThat(pair.network.responses().getFirst().syndrome).isEqualTo(Syndrome.rnrNak(code));
            assertThat(pair.network.responses().getFirst().psn).isEqualTo(100);
            pair.network.forgetSent();
            pair.postReceives(2, 10);

            assertThat(pair.nextDeadlineNs()).isEqualTo(pair.nowNs() + RnrTimer.ns(code));
            pair.advance(RnrTimer.ns(code) - 1);
            pair.a.send(7);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
            pair.advance(1);
            pair.transmit();
            assertThat(pair.network.sent()).extracting(parcel -> parcel.psn).containsExactly(100, 101, 102);
            pair.deliver();
            pair.transmit();
            pair.deliver();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void messageOfManyPacketsWaitsWholeForItsReceive(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode))) {
            TestRegion source = pair.postSends(1, 9000);
            pair.settle();
            TestRegion target = pair.postReceives(1, 9000);
            pair.run();
            assertThat(EnginePair.sameBytes(source, target, 9000)).isTrue();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.b.counters().sentRnrNaks).isEqualTo(1);
            assertThat(pair.a.counters().receivedRnrNaks).isEqualTo(1);
        }
    }

    @Test
    void packetsBehindTheRefusedOneAreDroppedInSilence() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 10);
            pair.postSends(4, 10);
            pair.transmit();
            pair.deliver();
            pair.transmit();
            assertThat(pair.network.inFlight()).extracting(Parcel::toString).containsExactly("RNR NAK 0.64 ms 101");
            pair.deliver();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6})
    @Covers({"QP-50", "QP-70", "CQ-41", "RXE-225"})
    void requestFailsAfterAsManyRnrRetriesAsConfigured(int rnrRetry) {
        try (EnginePair pair = new EnginePair(new PairSettings().rnrRetry(rnrRetry))) {
            pair.postSends(2, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 RNR_RETRY_EXC_ERR", "1 WR_FLUSH_ERR");
            assertThat(pair.b.counters().sentRnrNaks).isEqualTo(rnrRetry + 1);
            assertThat(pair.a.counters().rnrRetryExceeded).isEqualTo(1);
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
        }
    }

    @Test
    @Covers("QP-70")
    void sevenRnrRetriesAreForEver() {
        try (EnginePair pair = new EnginePair(new PairSettings().rnrRetry(7).minRnrTimer(1))) {
            pair.postSends(1, 10);
            pair.settle();
            for (int i = 0; i < 1000; i++) {
                pair.advanceTo(pair.nextDeadlineNs());
                pair.settle();
            }
            assertThat(pair.a.sendResults()).isEmpty();
            pair.postReceives(1, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void progressRenewsTheRnrRetries() {
        try (EnginePair pair = new EnginePair(new PairSettings().rnrRetry(1))) {
            pair.postSends(3, 10);
            for (int i = 0; i < 3; i++) {
                pair.settle();
                pair.postReceives(1, 10);
                pair.advanceTo(pair.nextDeadlineNs());
                pair.settle();
            }
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
        }
    }

    @Test
    @Covers("RXE-94")
    void sequenceNakIsIgnoredWhileTheReceiverIsAwaited() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(2, 10);
            pair.settle();
            long deadlineNs = pair.nextDeadlineNs();
            pair.network.forgetSent();
            pair.responseToA(Syndrome.nak(NakCode.PSN_SEQUENCE_ERROR), 100);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
            assertThat(pair.nextDeadlineNs()).isEqualTo(deadlineNs);
            assertThat(pair.a.counters().retries).isZero();
        }
    }

    @Test
    void secondRnrNakDoesNotProlongTheWait() {
        try (EnginePair pair = new EnginePair(new PairSettings().rnrRetry(1))) {
            pair.postSends(1, 10);
            pair.settle();
            long deadlineNs = pair.nextDeadlineNs();
            pair.advance(1000);
            pair.responseToA(Syndrome.rnrNak(31), 100);
            assertThat(pair.nextDeadlineNs()).isEqualTo(deadlineNs);
            assertThat(pair.a.sendResults()).isEmpty();
        }
    }

    @Test
    void acknowledgementThatOvertakesTheNakEndsTheWait() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(1, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(Syndrome.rnrNak(12), 100);
            pair.responseToA(Syndrome.ack(31), 100);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        }
    }

    @Test
    void refusedPacketThatComesAgainInTheSameBatchIsTaken() {
        try (EnginePair pair = new EnginePair(new PairSettings().timeout(0))) {
            pair.postSends(2, 10);
            pair.transmit();
            pair.network.duplicate(0);
            pair.network.deliverNext(pair.nowNs());
            pair.network.deliverNext(pair.nowNs());
            pair.postReceives(2, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
        }
    }

    @Test
    void emptyMessageNeedsAReceiveAsWell() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 0);
            pair.transmit();
            assertThat(pair.network.responses()).extracting(Parcel::toString).containsExactly("RNR NAK 0.64 ms 100");
        }
    }
}
