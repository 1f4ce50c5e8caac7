// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.transport.requester.SendCredits;
import io.rdma4j.wire.CreditCode;
import io.rdma4j.wire.Syndrome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** End-to-end flow control: what acknowledgements say of receive requests, and what the requester makes of it. */
class CreditTest {
    private static PairSettings credits() {
        return new PairSettings().rdma(4).options(TransportOptions.DEFAULT.withCredits());
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 1", "4, 3", "6, 4", "8, 6", "101, 96"})
    void acknowledgementSaysHowManyReceivesAreLeft(int receives, int credits) {
        try (EnginePair pair = new EnginePair(credits())) {
            pair.postReceives(receives, 10);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.network.responses())
                    .extracting(Parcel::toString)
                    .containsExactly(credits == 0 ? "ACK credits 0 100" : "ACK credits " + credits + " 100");
        }
    }

    @Test
    @Covers("RXE-166")
    void withoutTheOptionAndForSharedQueuesCreditsDoNotMatter() {
        for (PairSettings settings :
                new PairSettings[] {new PairSettings(), credits().sharedReceives(3)}) {
            try (EnginePair pair = new EnginePair(settings)) {
                pair.postReceives(2, 10);
                pair.postSends(1, 10);
                pair.settle();
                assertThat(pair.network.responses())
                        .extracting(Parcel::toString)
                        .containsExactly("ACK 100");
            }
        }
    }

    @Test
    void onlyAsManyMessagesAreSentAsThePeerHasReceivesFor() {
        try (EnginePair pair = new EnginePair(credits())) {
            pair.postReceives(4, 10);
            pair.postSends(1, 10);
            pair.settle();
            pair.network.forgetSent();
            pair.postSends(6, 10);
            pair.transmit();
            assertThat(pair.network.sent()).extracting(parcel -> parcel.psn).containsExactly(101, 102, 103);
            pair.deliver();
            pair.transmit();
            pair.deliver();
            pair.network.forgetSent();
            pair.transmit();
            assertThat(pair.network.requests())
                    .as("one message asks whether there are more")
                    .extracting(parcel -> parcel.psn)
                    .containsExactly(104);
            pair.deliver();
            assertThat(pair.b.counters().sentRnrNaks).isEqualTo(1);
            pair.postReceives(3, 10);
            pair.run();
            assertThat(pair.a.sendResults()).hasSize(7).allMatch(result -> result.endsWith("SUCCESS"));
            assertThat(pair.b.counters().sentRnrNaks).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void longMessageWithoutCreditAsksWithItsFirstPacket(Mode mode) {
        try (EnginePair pair = new EnginePair(credits().mode(mode))) {
            pair.postReceives(1, 5000);
            pair.postSends(1, 10);
            pair.settle();
            pair.network.forgetSent();
            TestRegion target = pair.postReceives(1, 5000);
            TestRegion source = pair.postSends(1, 5000);
            pair.transmit();
            assertThat(pair.network.sent()).extracting(Parcel::toString).containsExactly("RC SEND First 101");
            assertThat(pair.network.sent().getFirst().ackRequest).isTrue();
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(2);
            assertThat(EnginePair.sameBytes(source, target, 5000)).isTrue();
        }
    }

    @Test
    void whatTakesNoReceiveNeedsNoCredit() {
        try (EnginePair pair = new EnginePair(credits())) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.settle();
            TestRegion far = pair.b.shared(5000);
            TestRegion near = pair.a.region(5000);
            pair.network.forgetSent();
            pair.a.write(1, far.first(0), near.first(5000));
            pair.a.write(2, far.first(0), near.first(5000));
            pair.a.read(3, far.first(0), near.first(5000));
            pair.transmit();
            assertThat(pair.network.sent()).hasSize(3);
        }
    }

    @ParameterizedTest
    @CsvSource({"WHOLE, 0.0", "CUT, 0.0", "CUT, 0.2"})
    void everyMessageArrivesThoughReceivesAreShortAndPacketsAreLost(Mode mode, double loss) {
        try (EnginePair pair = new EnginePair(credits().mode(mode).timeout(8))) {
            java.util.SplittableRandom random = new java.util.SplittableRandom(5);
            pair.network.lose(parcel -> random.nextDouble() < loss);
            TestRegion source = pair.postSends(60, 3000);
            TestRegion target = pair.b.region(3000L * 60);
            StepLimit steps = new StepLimit("all messages arrive", 10_000);
            for (int i = 0; i < 60; i += 3) {
                for (int j = i; j < i + 3; j++) {
                    pair.b.receive(j, target.piece(j * 3000L, 3000));
                }
                while (pair.b.counters().receives < i + 3) {
                    steps.step();
                    pair.settle();
                    pair.advanceTo(pair.nextDeadlineNs());
                }
            }
            pair.run();
            assertThat(pair.a.sendResults()).hasSize(60).allMatch(result -> result.endsWith("SUCCESS"));
            assertThat(EnginePair.sameBytes(source, target, 180_000)).isTrue();
        }
    }

    @Test
    void limitNeverGoesBackAndIsLiftedByAPeerThatSetsNone() {
        SendCredits credits = new SendCredits();
        assertThat(credits.allow(1 << 22)).isTrue();
        credits.onAcknowledge(0xFF_FFFE, 5);
        assertThat(credits.allow(0xFF_FFFF)).isTrue();
        assertThat(credits.allow(4)).isTrue();
        assertThat(credits.allow(5)).isFalse();
        credits.onAcknowledge(0xFF_FFFE, 0);
        assertThat(credits.allow(4)).isTrue();
        credits.onAcknowledge(3, 3);
        assertThat(credits.allow(6)).isTrue();
        assertThat(credits.allow(7)).isFalse();
        credits.onAcknowledge(3, CreditCode.UNLIMITED);
        assertThat(credits.allow(1000)).isTrue();
    }

    @Test
    void creditsOfAForeignPeerAreHonouredToo() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(1, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.network.forgetSent();
            pair.responseToA(Syndrome.ack(2), 100); // its MSN is 0
            pair.postSends(5, 10);
            pair.transmit();
            assertThat(pair.network.sent()).extracting(parcel -> parcel.psn).containsExactly(101);
        }
    }
}
