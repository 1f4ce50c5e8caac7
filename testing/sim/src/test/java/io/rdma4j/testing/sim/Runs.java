// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.LinkEvent;
import java.util.List;

/** Assertions about runs. */
public final class Runs {
    private Runs() {}

    public static void assertClean(RunResult result) {
        assertThat(result.violations())
                .as("%s; last events:%n%s", result.scenario(), String.join(System.lineSeparator(), result.trace()))
                .isEmpty();
        assertThat(result.messages()).isEqualTo(2 * result.scenario().messages());
    }

    /** Asserts that faults of every kind occurred in at least one run, so that correct results are not accidental. */
    static void assertTroubled(List<RunResult> results) {
        assertThat(results).anySatisfy(result -> {
            assertThat(result.network().count(LinkEvent.LOST)).isPositive();
            assertThat(result.network().count(LinkEvent.DUPLICATED)).isPositive();
            assertThat(result.network().count(LinkEvent.DELAYED)).isPositive();
            assertThat(result.retransmitted()).isPositive();
        });
    }
}
