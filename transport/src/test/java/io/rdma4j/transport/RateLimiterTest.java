// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.common.RateLimiter;
import io.rdma4j.transport.common.RetryTimers;
import io.rdma4j.transport.common.RetryTimers.Timer;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.NumberSequence;
import io.rdma4j.transport.port.CongestionControl;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.Opcode;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue pair that is told of congestion slows down and comes back to speed as DCQCN says. */
class RateLimiterTest {
    private static final double GIGABIT = 1e9;
    private static final Percentage EXACTLY = Percentage.withPercentage(1e-6);

    /** Steps by bytes come after 100 kB, so that tests need not send ten megabytes. */
    private static final CongestionControl NUMBERS = new CongestionControl(
            50_000, 10_000_000_000L, 10_000_000, 1 / 256.0, 55_000, 60_000, 100_000, 5, 40_000_000, 400_000_000);

    private static TransportOptions options() {
        return TransportOptions.DEFAULT.withCongestionControl(NUMBERS);
    }

    /** The limiter by itself. */
    @Nested
    class Rates {
        private final RetryTimers timers = new RetryTimers();
        private final RateLimiter limiter = new RateLimiter(
                new TransportContext("test", new KeyTable(1, 1, NumberSequence.counting(1)), options()), timers);
        private long nowNs = 1_000_000;

        private void notification() {
            limiter.onNotification(nowNs);
        }

        private void timeSteps(int count) {
            for (int i = 0; i < count; i++) {
                nowNs += NUMBERS.increaseIntervalNs();
                limiter.onTimeout(nowNs);
            }
        }

        private void byteSteps(int count) {
            for (int i = 0; i < count; i++) {
                limiter.sent((int) NUMBERS.increaseBytes(), nowNs);
            }
        }

        private void assertRate(double gigabits) {
            assertThat(limiter.rate()).isCloseTo(gigabits * GIGABIT, EXACTLY);
        }

        @Test
        void aQueuePairIsFreeUntilTheFirstNotification() {
            assertThat(limiter.isLimiting()).isFalse();
            assertThat(limiter.packets(1024)).isEqualTo(Integer.MAX_VALUE);
            limiter.sent(1 << 30, nowNs);
            assertThat(timers.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        }

        @Test
        void eachNotificationInARowHalvesTheRateButNotBelowTheLeast() {
            notification();
            assertRate(5);
            notification();
            assertRate(2.5);
            for (int i = 0; i < 20; i++) {
                notification();
            }
            assertRate(0.01);
        }

        @Test
        void fastRecoveryGoesHalfTheWayBackFourTimes() {
            notification();
            notification();
            timeSteps(4);
            assertRate(5 - 2.5 / 16);
        }

        @Test
        void afterThatTheRateAimedAtRisesStepByStep() {
            notification();
            notification();
            timeSteps(5);
            double before = 5 - 2.5 / 16;
            assertRate((before + 5.04) / 2);
            timeSteps(1);
            assertRate(((before + 5.04) / 2 + 5.08) / 2);
        }

        @Test
        void bytesSentAreStepsAsWell() {
            notification();
            notification();
            byteSteps(5);
            assertRate((5 - 2.5 / 16 + 5.04) / 2);
        }

        @Test
        void whereTimeAndBytesAgreeTheRateRisesFasterAndFaster() {
            notification();
            notification();
            timeSteps(6);
            byteSteps(5);
            double before = limiter.rate() / GIGABIT;
            // Time 6, bytes 5: seven additive steps so far, the next one is the first of the fast ones.
            byteSteps(1);
            assertRate((before + 5 + 7 * 0.04 + 0.4) / 2);
        }

        @Test
        void aNotificationBeginsTheStepsAnew() {
            notification();
            timeSteps(4);
            notification();
            double target = limiter.rate();
            timeSteps(4);
            notification();
            assertThat(limiter.rate()).isGreaterThan(target / 2);
            timeSteps(1);
            assertThat(limiter.isLimiting()).isTrue();
        }

        @Test
        void whenTheCongestionIsLongOverANotificationTakesLess() {
            notification();
            notification();
            timeSteps(10);
            double before = limiter.rate();
            notification();
            // α = (255/256)^10, by the timer of 55 µs; ten intervals of 60 µs hold as many of them.
            double alpha = Math.pow(255 / 256.0, 10);
            assertThat(limiter.rate()).isCloseTo(before * (1 - alpha / 2), Percentage.withPercentage(0.5));
        }

        @Test
        void atLineRateTheQueuePairIsFreeAgainAndNoTimerRuns() {
            notification();
            limiter.sent(1000, nowNs);
            timeSteps(10);
            assertThat(limiter.isLimiting()).isFalse();
            assertThat(timers.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        }

        @Test
        void whatIsSentAtOnceIsWhatPassesInTwentyMicroseconds() {
            notification();
            // 5 Gbit/s: 12.5 kB.
            assertThat(limiter.packets(1000)).isEqualTo(12);
            limiter.sent(12_500, nowNs);
            assertThat(limiter.packets(1000)).isZero();
            assertThat(timers.nextDeadlineNs()).isEqualTo(nowNs + 20_000);
            nowNs += 20_000;
            limiter.onTimeout(nowNs);
            assertThat(limiter.packets(1000)).isEqualTo(12);
        }

        @Test
        void timeLostIsMadeGoodForOneBurst() {
            notification();
            limiter.sent(12_500, nowNs);
            nowNs += 1_000_000;
            timers.cancel(Timer.RATE_INCREASE);
            limiter.onTimeout(nowNs);
            limiter.sent(12_500, nowNs);
            assertThat(timers.isArmed(Timer.PACE)).isFalse();
            limiter.sent(12_500, nowNs);
            assertThat(timers.isArmed(Timer.PACE)).isTrue();
        }

        @Test
        void onePacketAlwaysGoes() {
            for (int i = 0; i < 20; i++) {
                notification();
            }
            assertThat(limiter.packets(4096)).isEqualTo(1);
        }
    }

    /** A connection over which messages have gone in both directions, so that there is something to slow down. */
    private static EnginePair congested(Mode mode) {
        EnginePair pair = new EnginePair(new PairSettings().rdma(4).mode(mode).options(options()));
        pair.a.receive(0);
        pair.b.receive(0);
        pair.a.send(0);
        pair.b.send(0);
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        assertThat(pair.b.sendResults()).containsExactly("0 SUCCESS");
        pair.network.forgetSent();
        return pair;
    }

    @Test
    void trainsAreCutToWhatTheRateAllows() {
        try (EnginePair pair = congested(Mode.WHOLE)) {
            TestRegion far = pair.b.shared(100_000);
            pair.a.write(1, far.first(0), pair.a.region(100_000).first(100_000));
            pair.answerToA(Opcode.CNP, 0, 0);
            pair.transmit();
            assertThat(pair.network.inFlight()).singleElement().satisfies(train -> {
                assertThat(train.packets).isEqualTo(12);
                assertThat(train.ackRequest).isTrue();
            });
            assertThat(pair.nextDeadlineNs() - pair.nowNs()).isBetween(19_000L, 20_000L);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void dataTakeTheTimeThatTheRateGivesThem(boolean read) {
        try (EnginePair pair = congested(Mode.CUT)) {
            int bytes = 1 << 20;
            TestRegion far = pair.b.shared(bytes).filled(1);
            TestRegion near = pair.a.region(bytes).filled(2);
            long beginNs = pair.nowNs();
            for (int i = 0; i < 20; i++) {
                // Down to 10 Mbit/s, from where it comes back by itself: by 1 Gbit/s in a few milliseconds.
                pair.answerToA(Opcode.CNP, 0, 0);
                pair.requestToB(Opcode.CNP, 0, false, 0);
            }
            if (read) {
                pair.a.read(1, far.first(0), near.first(bytes));
            } else {
                pair.a.write(1, far.first(0), near.first(bytes));
            }
            pair.settle();
            assertThat(pair.a.sendCompletions()).isEmpty();
            StepLimit steps = new StepLimit("the request completes", 100_000);
            while (pair.a.sendCompletions().isEmpty()) {
                steps.step();
                pair.advanceTo(pair.nextDeadlineNs());
                pair.settle();
            }
            assertThat(EnginePair.sameBytes(near, far, bytes)).isTrue();
            assertThat(pair.nowNs() - beginNs).isGreaterThan(2_000_000);
            assertThat(pair.a.counters().retransmittedPackets).isZero();
        }
    }

    @Test
    void acknowledgementsAreNotHeldUp() {
        try (EnginePair pair = congested(Mode.CUT)) {
            for (int i = 0; i < 20; i++) {
                pair.requestToB(Opcode.CNP, 0, false, 0);
            }
            TestRegion far = pair.b.shared(10_000);
            pair.a.write(1, far.first(0), pair.a.region(10_000).first(10_000));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
        }
    }

    @Test
    void aQueuePairThatIsResetIsFree() {
        try (EnginePair pair = congested(Mode.CUT)) {
            pair.answerToA(Opcode.CNP, 0, 0);
            assertThat(pair.nextDeadlineNs()).isNotEqualTo(Deadline.NEVER);
            pair.a.modify(QpState.RESET);
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        }
    }

    @Test
    void numbersOutOfRangeAreRefusedByName() {
        assertThatThrownBy(() -> CongestionControl.DEFAULT.withLineRate(0))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("line rate 0 is less than");
        assertThatThrownBy(() -> new CongestionControl(0, 10, 1, 1.5, 1, 1, 1, 1, 1, 1))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("gain 1.5");
        assertThat(CongestionControl.DEFAULT.withLineRate(1_000_000_000).additiveRate())
                .isEqualTo(4_000_000);
    }
}
