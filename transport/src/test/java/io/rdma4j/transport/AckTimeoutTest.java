// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.Syndrome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The local ACK timeout, 4.096 µs · 2^n, and the retry counter (IBA 9.7.6.1.3, 9.9.2.4.1). */
class AckTimeoutTest {
    private static EnginePair deaf(PairSettings settings) {
        EnginePair pair = new EnginePair(settings);
        pair.network.lose(parcel -> true);
        return pair;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 14, 20, 30, 31})
    @Covers({"QP-48", "QP-68", "RXE-111", "RXE-223", "RXE-230", "RXE-211"})
    void timerFiresAtItsTimeAndNotBefore(int code) {
        try (EnginePair pair = deaf(new PairSettings().timeout(code))) {
            pair.postSends(1, 10);
            pair.transmit();
            long timeoutNs = 4096L << code;
            assertThat(pair.nextDeadlineNs()).isEqualTo(pair.nowNs() + timeoutNs);
            pair.advance(timeoutNs - 1);
            pair.transmit();
            assertThat(pair.network.sent()).hasSize(1);
            pair.advance(1);
            pair.transmit();
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly("RC SEND Only 100", "RC SEND Only 100");
        }
    }

    @Test
    @Covers({"QP-68", "RXE-76"})
    void timeoutZeroNeverFires() {
        try (EnginePair pair = deaf(new PairSettings().timeout(0))) {
            pair.postSends(1, 10);
            pair.transmit();
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
            pair.advance(1L << 50);
            pair.transmit();
            assertThat(pair.network.sent()).hasSize(1);
        }
    }

    /** Retry count 7, as with {@code QueuePair.connect} and in rdma-core's examples. */
    @ParameterizedTest
    @CsvSource({"16, 5000, SUCCESS", "14, 1500, SUCCESS", "14, 2000, RETRY_EXC_ERR"})
    void aPeerMayStandStillAsLongAsTimeoutAndRetriesLast(int timeout, int pauseMs, String status) {
        try (EnginePair pair = new EnginePair(new PairSettings().timeout(timeout))) {
            pair.postReceives(1, 10);
            long end = pair.nowNs() + pauseMs * 1_000_000L;
            pair.network.lose(_ -> pair.nowNs() < end);
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 " + status);
        }
    }

    @Test
    void timeoutSetToZeroStopsTheTimerThatRuns() {
        try (EnginePair pair = deaf(new PairSettings())) {
            pair.postSends(1, 10);
            pair.transmit();
            pair.a.modify(QpState.SQD);
            pair.a.modify(QpAttributes.builder().timeout(0));
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        }
    }

    @Test
    @Covers("RXE-212")
    void acknowledgementStartsTheTimerAnewForWhatIsLeft() {
        try (EnginePair pair = deaf(new PairSettings().timeout(10))) {
            pair.postSends(2, 10);
            pair.transmit();
            pair.advance(1_000_000);
            pair.responseToA(Syndrome.ack(31), 100);
            assertThat(pair.nextDeadlineNs()).isEqualTo(pair.nowNs() + (4096L << 10));
            pair.responseToA(Syndrome.ack(31), 101);
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        }
    }

    @Test
    void laterSendsDoNotPutOffTheTimerOfTheOldest() {
        try (EnginePair pair = deaf(new PairSettings())) {
            pair.postSends(1, 10);
            pair.transmit();
            long deadlineNs = pair.nextDeadlineNs();
            pair.advance(1000);
            pair.a.send(7);
            pair.transmit();
            assertThat(pair.network.sent()).hasSize(2);
            assertThat(pair.nextDeadlineNs()).isEqualTo(deadlineNs);
        }
    }

    @Test
    void clockMayWrap() {
        try (EnginePair pair = deaf(new PairSettings().timeout(10))) {
            pair.advanceTo(Long.MAX_VALUE - 1000);
            pair.postSends(1, 10);
            pair.transmit();
            pair.advance((4096L << 10) - 1);
            pair.transmit();
            assertThat(pair.network.sent()).hasSize(1);
            pair.advance(1);
            pair.transmit();
            assertThat(pair.network.sent()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    @Covers({"QP-49", "QP-69", "CQ-40", "RXE-224", "RXE-226", "CQ-33"})
    void deadPeerEndsTheRequestAfterAsManyRetriesAsConfigured(int retryCount) {
        try (EnginePair pair = deaf(new PairSettings().retryCount(retryCount))) {
            pair.postSends(3, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR");
            assertThat(pair.network.requests()).hasSize(3 * (1 + retryCount));
            assertThat(pair.a.counters().retries).isEqualTo(retryCount);
            assertThat(pair.a.counters().retryExceeded).isEqualTo(1);
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
            assertThat(pair.nowNs()).isEqualTo(1_000_000_000L + (4096L << 14) * timeoutsWaited(retryCount));
        }
    }

    /**
     * The first try waits for one timeout, the second for two, all others for four: as long as the specification
     * allows.
     */
    private static int timeoutsWaited(int retryCount) {
        return 1 + (retryCount > 0 ? 2 : 0) + 4 * Math.max(0, retryCount - 1);
    }

    @Test
    void progressRenewsTheRetries() {
        try (EnginePair pair = deaf(new PairSettings().retryCount(2))) {
            pair.postSends(2, 10);
            pair.transmit();
            expire(pair, 2);
            pair.responseToA(Syndrome.ack(31), 100);
            expire(pair, 2);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            expire(pair, 1);
            assertThat(pair.a.sendResults()).containsExactly("1 RETRY_EXC_ERR");
        }
    }

    @Test
    @Covers("RXE-224")
    void sevenIsForEverOnlyIfTheDeviceReadsItSo() {
        TransportOptions likeLinux = TransportOptions.DEFAULT.withRetrySevenForever();
        try (EnginePair pair = deaf(new PairSettings().retryCount(7).options(likeLinux))) {
            pair.postSends(1, 10);
            pair.transmit();
            expire(pair, 100);
            assertThat(pair.a.sendResults()).isEmpty();
            assertThat(pair.a.state()).isEqualTo(QpState.RTS);
        }
        try (EnginePair pair = deaf(new PairSettings().retryCount(6).options(likeLinux))) {
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 RETRY_EXC_ERR");
        }
    }

    private static void expire(EnginePair pair, int times) {
        for (int i = 0; i < times; i++) {
            pair.advanceTo(pair.nextDeadlineNs());
            pair.transmit();
        }
    }

    @Test
    @Covers("RXE-211")
    void earlyWakeUpsDoNoHarm() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.transmit();
            for (int i = 0; i < 100; i++) {
                pair.advance(1000);
                pair.transmit();
            }
            assertThat(pair.network.sent()).hasSize(1);
            pair.settle();
            assertThat(pair.a.counters().retries).isZero();
        }
    }
}
