// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.core.LegacyVariable;
import io.rdma4j.verbs.values.ForkStatus;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LegacyVariableTest {
    private final RecordingLogger log = new RecordingLogger();

    @ParameterizedTest
    @EnumSource
    @Covers("MR-39")
    void aVariableThatIsSetIsNamedInTheLog(LegacyVariable variable) {
        LegacyVariable.report(Map.of(variable.name(), "1", "OTHER", "1"), log);

        assertThat(log.lines)
                .singleElement()
                .asString()
                .startsWith("INFO " + variable + " is set and changes nothing: ");
    }

    @Test
    void withoutThemNothingIsSaid() {
        LegacyVariable.report(Map.of("PATH", "/bin"), log);

        assertThat(log.lines).isEmpty();
    }

    @Test
    @Covers("MR-38")
    void forksNeedNoPreparation() {
        assertThatNoException().isThrownBy(Rdma::forkInit);
        assertThat(Rdma.forkStatus()).isEqualTo(ForkStatus.UNNEEDED);
    }
}
