// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.run.ScenarioRun;
import org.junit.jupiter.api.Test;

/** Proves that a seed determines a run completely. */
class DeterminismTest {
    private static final LinkProfile BAD = LinkProfile.PERFECT
            .withLoss(0.1)
            .withDuplication(0.05)
            .withReordering(0.1, 50_000)
            .withCorruption(0.02)
            .withBandwidth(10_000_000_000L, 64);

    @Test
    void theSameSeedGivesTheSameRunToTheLastBit() {
        for (int seed = 0; seed < 10; seed++) {
            RunResult first = run(seed);
            RunResult second = run(seed);
            assertThat(second.traceHash()).isEqualTo(first.traceHash());
            assertThat(second.packets()).isEqualTo(first.packets());
            assertThat(second.elapsedNs()).isEqualTo(first.elapsedNs());
        }
    }

    @Test
    void differentSeedsGiveDifferentRuns() {
        assertThat(run(1).traceHash()).isNotEqualTo(run(2).traceHash());
    }

    @Test
    void theHashNoticesASingleChangedBit() {
        long untouched = run(3).traceHash();
        RunResult touched = new ScenarioRun(SimScenario.of(3).withLink(BAD))
                .prepare(network -> network.link(0, 1).hook(Tampering.flipOneBitOfPacket(20)))
                .run();
        Runs.assertClean(touched);
        assertThat(touched.traceHash()).isNotEqualTo(untouched);
    }

    @Test
    void whereTheClockStartsMakesNoDifferenceNotEvenWhenItWraps() {
        for (int seed = 0; seed < 10; seed++) {
            RunResult wrapping = new ScenarioRun(SimScenario.of(seed).withLink(BAD))
                    .startAt(Long.MAX_VALUE - 300_000)
                    .run();
            Runs.assertClean(wrapping);
            assertThat(wrapping.traceHash()).isEqualTo(run(seed).traceHash());
        }
    }

    private static RunResult run(long seed) {
        RunResult result = new ScenarioRun(SimScenario.of(seed).withLink(BAD)).run();
        Runs.assertClean(result);
        return result;
    }
}
