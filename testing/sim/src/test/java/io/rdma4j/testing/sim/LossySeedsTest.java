// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.sim.run.ScenarioRun;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Proves that every message arrives once, complete, in order, and that every send completes, on any network. */
@Covers({
    "CQ-16", "CQ-66", "CQ-72", "GEN-6", "QP-1", "QP-5", "QP-7", "QP-10", "RXE-69", "RXE-126", "WR-11", "WR-25", "WR-27"
})
class LossySeedsTest {
    private static final int SEEDS_PER_LEVEL = 12;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void everyMessageSurvivesLossDuplicationReorderingAndCorruption(int percent) {
        double loss = percent / 100.0;
        LinkProfile link = LinkProfile.PERFECT
                .withLoss(loss)
                .withDuplication(loss / 2)
                .withReordering(loss, 50_000)
                .withCorruption(loss / 5);
        List<RunResult> results = new ArrayList<>();
        for (int i = 0; i < SEEDS_PER_LEVEL; i++) {
            SimScenario scenario = SimScenario.of(1000L * percent + i)
                    .withLink(link)
                    .withMessages(30)
                    .withSizes(0, 4096);
            RunResult result = new ScenarioRun(scenario).run();
            Runs.assertClean(result);
            results.add(result);
        }
        Runs.assertTroubled(results);
    }

    @Test
    void messagesOfManyWindowsSurviveLoss() {
        LinkProfile link =
                LinkProfile.PERFECT.withLoss(0.01).withDuplication(0.01).withReordering(0.01, 20_000);
        for (int seed = 0; seed < 10; seed++) {
            SimScenario scenario =
                    SimScenario.of(seed).withLink(link).withMessages(6).withSizes(0, 300_000);
            Runs.assertClean(new ScenarioRun(scenario).run());
        }
    }

    @Test
    void messagesSurviveANetworkThatRemembersPacketsForLong() {
        LinkProfile link =
                LinkProfile.PERFECT.withLoss(0.05).withDuplication(0.2).withReordering(0.2, 5_000_000);
        for (int seed = 0; seed < 20; seed++) {
            SimScenario scenario = SimScenario.of(seed).withLink(link).withSizes(0, 1000);
            Runs.assertClean(new ScenarioRun(scenario).run());
        }
    }
}
