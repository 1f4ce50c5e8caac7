package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.link.LinkFate;
import java.util.List;

/** What tests say of runs. */
final class Runs {
    private Runs() {}

    static void assertClean(RunResult result) {
        assertThat(result.violations())
                .as("%s; last events:%n%s", result.scenario(), String.join(System.lineSeparator(), result.trace()))
                .isEmpty();
        assertThat(result.messages()).isEqualTo(2 * result.scenario().messages());
    }

    /** Trouble of every kind came up in one run at least: what was clean was no luck. */
    static void assertTroubled(List<RunResult> results) {
        assertThat(results).anySatisfy(result -> {
            assertThat(result.network().count(LinkFate.LOST)).isPositive();
            assertThat(result.network().count(LinkFate.DUPLICATED)).isPositive();
            assertThat(result.network().count(LinkFate.DELAYED)).isPositive();
            assertThat(result.retransmitted()).isPositive();
        });
    }
}
