// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.run.ConnectRun;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Random connections of rdma_cm between hosts. More runs: {@code ./rdma4j sim --connections --runs 2000}. */
class ConnectSeedsTest {
    private static final LinkProfile FAULTY = LinkProfile.PERFECT
            .withLatencyNs(10_000)
            .withLoss(0.05)
            .withDuplication(0.02)
            .withReordering(0.05, 40_000)
            .withCorruption(0.01);

    private static RunResult run(int seed, LinkProfile link) {
        return new ConnectRun(SimScenario.of(seed).withLink(link).withMessages(6)).run();
    }

    @Test
    void everyConnectionHasAnEndThatBothSidesAgreeOn() {
        int connections = 0;
        for (int seed = 0; seed < 60; seed++) {
            RunResult result = run(seed, FAULTY);
            assertThat(result.violations())
                    .as("./rdma4j sim --connections --seed %d --runs 1 --messages 6", seed)
                    .isEmpty();
            connections += result.messages();
        }
        assertThat(connections).isGreaterThan(60 * 2 * 6);
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        List<Long> hashes = new ArrayList<>();
        for (int seed = 0; seed < 5; seed++) {
            assertThat(run(seed, FAULTY).traceHash())
                    .isEqualTo(run(seed, FAULTY).traceHash());
            hashes.add(run(seed, FAULTY).traceHash());
        }
        assertThat(hashes).doesNotHaveDuplicates();
    }
}
