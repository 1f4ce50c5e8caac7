package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rdma4j.testing.ledger.Covers;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LegacyVariableTest {
    private final List<String> logged = new ArrayList<>();

    private final System.Logger log = new System.Logger() {
        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            logged.add(message);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            logged.add(level + " " + MessageFormat.format(format, parameters));
        }
    };

    @ParameterizedTest
    @EnumSource
    @Covers({"MR-39", "MR-40"})
    void aVariableThatIsSetIsNamedInTheLog(LegacyVariable variable) {
        LegacyVariable.report(Map.of(variable.name(), "1", "OTHER", "1"), log);

        assertThat(logged).singleElement().asString().startsWith("INFO " + variable + " is set and changes nothing: ");
    }

    @Test
    void withoutThemNothingIsSaid() {
        LegacyVariable.report(Map.of("PATH", "/bin"), log);

        assertThat(logged).isEmpty();
    }

    @Test
    @Covers("MR-38")
    void forksNeedNoPreparation() {
        assertThatNoException().isThrownBy(Rdma::forkInit);
        assertThat(Rdma.forkStatus()).isEqualTo(ForkStatus.UNNEEDED);
    }
}
