// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.LinkEvent;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.sim.world.RunEnd;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.RnrTimer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Proves that retries end exactly at the count and time that the attributes define, and never end if they are
 * unlimited.
 */
@Covers({"CQ-40", "CQ-41", "QP-48", "QP-49", "QP-50", "QP-54", "QP-67", "QP-68", "QP-69", "QP-70", "RXE-224", "RXE-225"
})
class RetryLimitsTest {
    private static final int TIMEOUT = 10;
    private static final long TIMEOUT_NS = 4096L << TIMEOUT;
    private static final int FOREVER = 7;
    private static final int RNR_TIMER = 12;
    private static final long ROUND_TRIP_NS = 2 * LinkProfile.PERFECT.latencyNs();

    /**
     * The first try waits for one timeout, the second for two, all others for four, which the specification permits.
     */
    private static int timeoutsWaited(int retries) {
        return 1 + (retries > 0 ? 2 : 0) + 4 * Math.max(0, retries - 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void asManyLossesAsRetriesSurvive(int retries) {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, retries, FOREVER))) {
            pair.there().hook(Tampering.dropFirst(retries));
            pair.postReceive(1);
            pair.postSend(2, 100);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sent()).extracting(WorkCompletion::status).containsExactly(WcStatus.SUCCESS);
            assertThat(pair.received()).hasSize(1);
            assertThat(pair.sender.qp().state()).isEqualTo(QpState.RTS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void oneLossMoreIsAnError(int retries) {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, retries, FOREVER))) {
            pair.there().hook(Tampering.dropFirst(retries + 1));
            pair.postReceive(1);
            pair.postSend(2, 100);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sent()).extracting(WorkCompletion::status).containsExactly(WcStatus.RETRY_EXC_ERR);
            assertThat(pair.received()).isEmpty();
            assertThat(pair.sender.qp().state()).isEqualTo(QpState.ERR);
            assertThat(pair.simulation.clock().elapsedNs()).isEqualTo(timeoutsWaited(retries) * TIMEOUT_NS);
        }
    }

    @Test
    void lostAnswersCountAsMuchAndTheMessageStillArrivesOnce() {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, 3, FOREVER))) {
            pair.back().hook(Tampering.dropFirst(3));
            pair.postReceive(1);
            pair.postReceive(2);
            pair.postSend(3, 100);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sent()).extracting(WorkCompletion::status).containsExactly(WcStatus.SUCCESS);
            assertThat(pair.received()).extracting(WorkCompletion::wrId).containsExactly(1L);
        }
    }

    @Test
    void progressRenewsTheRetries() {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, 1, FOREVER))) {
            for (int message = 0; message < 10; message++) {
                pair.there().hook(Tampering.dropFirst(1));
                pair.postReceive(message);
                pair.postSend(message, 100);
                assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
                assertThat(pair.sent()).extracting(WorkCompletion::status).containsExactly(WcStatus.SUCCESS);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 14, 18})
    void aPeerThatVanishesIsGivenUpInTime(int timeout) {
        try (Pair pair = new Pair(Pair.connection(timeout, 7, FOREVER))) {
            pair.there().profile(LinkProfile.PERFECT.withLoss(1));
            pair.postSend(1, 50_000);
            pair.postSend(2, 100);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sent())
                    .extracting(WorkCompletion::status)
                    .containsExactly(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
            assertThat(pair.simulation.clock().elapsedNs()).isEqualTo(timeoutsWaited(7) * (4096L << timeout));
        }
    }

    @Test
    void aPeerThatVanishesInMidMessageIsGivenUpInTime() {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, 7, FOREVER))) {
            pair.postReceive(1);
            pair.postSend(1, 60_000);
            pair.runFor(ROUND_TRIP_NS / 4);
            pair.back().profile(LinkProfile.PERFECT.withLoss(1));
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sent()).extracting(WorkCompletion::status).containsExactly(WcStatus.RETRY_EXC_ERR);
            assertThat(pair.simulation.clock().elapsedNs())
                    .isLessThanOrEqualTo(timeoutsWaited(7) * TIMEOUT_NS + ROUND_TRIP_NS);
        }
    }

    @Test
    void withoutTimeoutNobodyRetriesOrGivesUp() {
        try (Pair pair = new Pair(Pair.connection(0, 7, FOREVER))) {
            pair.there().hook(Tampering.dropFirst(1));
            pair.postReceive(1);
            pair.postSend(2, 100);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sent()).isEmpty();
            assertThat(pair.sender.qp().state()).isEqualTo(QpState.RTS);
            assertThat(pair.there().stats().count(LinkEvent.SENT)).isEqualTo(1);
        }
    }

    @Test
    void sevenMeansForEverWhereThatWasChosen() {
        TransportOptions asInLinux = TransportOptions.DEFAULT.withRetrySevenForever();
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, 7, FOREVER), asInLinux)) {
            pair.there().hook(Tampering.dropFirst(1000));
            pair.postReceive(1);
            pair.postSend(2, 100);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sent()).extracting(WorkCompletion::status).containsExactly(WcStatus.SUCCESS);
            assertThat(pair.there().stats().count(LinkEvent.HELD_BACK)).isEqualTo(1000);
        }
    }

    @Test
    void aPathThatIsTooNarrowCarriesShortMessagesOnly() {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, 7, FOREVER))) {
            pair.there().profile(LinkProfile.PERFECT.withMtuBytes(1000));
            pair.postReceive(1);
            pair.postReceive(2);
            pair.postSend(3, 500);
            pair.postSend(4, 1024);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sent())
                    .extracting(WorkCompletion::status)
                    .containsExactly(WcStatus.SUCCESS, WcStatus.RETRY_EXC_ERR);
            assertThat(pair.there().stats().count(LinkEvent.TOO_LONG)).isEqualTo(8);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6})
    void aReceiverThatIsNeverReadyIsGivenUpAfterSoManyTries(int rnrRetries) {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, 7, rnrRetries))) {
            pair.postSend(1, 100);
            long elapsedNs = pair.runUntilSent();
            assertThat(pair.sent()).extracting(WorkCompletion::status).containsExactly(WcStatus.RNR_RETRY_EXC_ERR);
            assertThat(pair.sender.qp().state()).isEqualTo(QpState.ERR);
            assertThat(pair.receiver.qp().state()).isEqualTo(QpState.RTS);
            assertThat(pair.there().stats().count(LinkEvent.SENT)).isEqualTo(rnrRetries + 1);
            assertThat(elapsedNs).isEqualTo(rnrRetries * RnrTimer.ns(RNR_TIMER) + (rnrRetries + 1) * ROUND_TRIP_NS);
        }
    }

    @Test
    void aReceiverIsWaitedForAsLongAsItTakesIfSevenTriesWereGranted() {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, 7, FOREVER))) {
            pair.postSend(1, 100);
            assertThat(pair.runFor(1000 * RnrTimer.ns(RNR_TIMER))).isEqualTo(RunEnd.TIME_LIMIT);
            pair.postReceive(2);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sent()).extracting(WorkCompletion::status).containsExactly(WcStatus.SUCCESS);
            assertThat(pair.there().stats().count(LinkEvent.SENT)).isGreaterThan(900);
        }
    }

    @Test
    void whatIsPostedAfterTheErrorIsFlushed() {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, 0, FOREVER))) {
            pair.there().profile(LinkProfile.PERFECT.withLoss(1));
            pair.postSend(1, 100);
            pair.run();
            pair.postSend(2, 100);
            pair.run();
            assertThat(pair.sent())
                    .extracting(WorkCompletion::status)
                    .containsExactly(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
        }
    }
}
