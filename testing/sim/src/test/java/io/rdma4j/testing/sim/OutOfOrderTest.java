// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.run.ProgramRun;
import io.rdma4j.testing.sim.run.ScenarioRun;
import io.rdma4j.transport.port.TransportOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares runs with and without placement of out-of-order packets. */
class OutOfOrderTest {
    private static final int MESSAGES = 400;
    private static final int MESSAGE_BYTES = 48 << 10;
    private static final int PACKETS = MESSAGES * MESSAGE_BYTES / 1024;

    /** ACK timeout code much longer than a round trip, so that only losses cause retransmissions. */
    private static final int LONG_TIMEOUTS = 14;

    private static final int ENDLESS = 7;

    private static final LinkProfile BAD = LinkProfile.PERFECT
            .withLoss(0.05)
            .withDuplication(0.02)
            .withReordering(0.2, 50_000)
            .withCorruption(0.01);

    private static SimScenario scenario(long seed) {
        return SimScenario.of(seed).withLink(BAD).withOutOfOrderPlacement();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void messagesSurviveABadNetwork(long seed) {
        RunResult result = new ScenarioRun(scenario(seed)).run();
        assertThat(result.violations()).isEmpty();
        assertThat(result.messages()).isEqualTo(80);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void programsSurviveABadNetwork(long seed) {
        assertThat(new ProgramRun(scenario(seed).withSizes(0, 100_000)).run().violations())
                .isEmpty();
    }

    private static long retransmitted(LinkProfile there, TransportOptions options) {
        try (Pair pair = new Pair(Pair.connection(LONG_TIMEOUTS, ENDLESS, ENDLESS), options.withRetrySevenForever())) {
            pair.there().profile(there);
            for (int i = 0; i < MESSAGES; i++) {
                pair.postReceive(i);
                pair.postSend(i, MESSAGE_BYTES);
                if (i % 8 == 7) {
                    pair.run();
                    assertThat(pair.sent()).hasSize(8);
                    assertThat(pair.received()).hasSize(8);
                }
            }
            return pair.sender.host().port().counters().retransmittedPackets;
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.05})
    void littleMoreThanWhatWasLostIsSentAgain(double loss) {
        LinkProfile there = LinkProfile.PERFECT.withLoss(loss);
        long goBack = retransmitted(there, TransportOptions.DEFAULT);
        long held = retransmitted(there, TransportOptions.DEFAULT.withOutOfOrderPlacement());
        assertThat(held).isBetween((long) (0.5 * loss * PACKETS), (long) (2 * loss * PACKETS));
        assertThat(goBack).isGreaterThan(3 * held);
    }

    @Test
    void packetsThatAreOvertakenCostLess() {
        LinkProfile there = LinkProfile.PERFECT.withReordering(0.01, 5_000);
        long goBack = retransmitted(there, TransportOptions.DEFAULT);
        long held = retransmitted(there, TransportOptions.DEFAULT.withOutOfOrderPlacement());
        assertThat(held).isLessThan(goBack / 4);
    }
}
