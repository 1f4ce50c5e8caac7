// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.BurstLoss;
import io.rdma4j.links.LinkEvent;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.sim.run.ProgramRun;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Proves that random programs leave memory, completions and atomics as the model expects, on any network. */
@Covers({"WR-8", "WR-9", "WR-12", "WR-13", "WR-14", "WR-23", "WR-24", "WR-25", "WR-27", "QP-52", "QP-56"})
class ProgramSeedsTest {
    private static final int SEEDS_PER_LEVEL = 20;

    static RunResult run(SimScenario scenario) {
        RunResult result = new ProgramRun(scenario).run();
        assertThat(result.violations())
                .as("%s; last events:%n%s", result.scenario(), String.join(System.lineSeparator(), result.trace()))
                .isEmpty();
        return result;
    }

    @Test
    void programsRunOnAPerfectNetwork() {
        for (int seed = 0; seed < 60; seed++) {
            RunResult result = run(SimScenario.of(seed).withSizes(0, 8 << 20));
            assertThat(result.messages()).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 10, 12, 15, 18, 20})
    void programsSurviveLossDuplicationReorderingAndCorruption(int percent) {
        double loss = percent / 100.0;
        LinkProfile link = LinkProfile.PERFECT
                .withLoss(loss)
                .withDuplication(loss / 2)
                .withReordering(loss, 50_000)
                .withCorruption(loss / 5);
        List<RunResult> results = new ArrayList<>();
        for (int i = 0; i < SEEDS_PER_LEVEL; i++) {
            results.add(run(SimScenario.of(1000L * percent + i).withLink(link).withSizes(0, 20_000)));
        }
        Runs.assertTroubled(results);
    }

    @Test
    void programsSurviveLossesInBursts() {
        LinkProfile link = LinkProfile.PERFECT.withBursts(new BurstLoss(0.01, 0.1));
        long lost = 0;
        for (int seed = 0; seed < 30; seed++) {
            lost += run(SimScenario.of(seed).withLink(link).withSizes(0, 20_000))
                    .network()
                    .count(LinkEvent.LOST);
        }
        assertThat(lost).isPositive();
    }

    @Test
    void programsSurviveANetworkThatRemembersPacketsForLong() {
        LinkProfile link =
                LinkProfile.PERFECT.withLoss(0.05).withDuplication(0.2).withReordering(0.2, 5_000_000);
        for (int seed = 0; seed < 20; seed++) {
            run(SimScenario.of(seed).withLink(link).withSizes(0, 2000));
        }
    }
}
