package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

/** What tests say of runs. */
final class Runs {
    private Runs() {}

    static void assertClean(RunResult result) {
        assertThat(result.violations())
                .as("%s; last events:%n%s", result.scenario(), String.join(System.lineSeparator(), result.trace()))
                .isEmpty();
        assertThat(result.messages()).isEqualTo(2 * result.scenario().messages());
    }
}
