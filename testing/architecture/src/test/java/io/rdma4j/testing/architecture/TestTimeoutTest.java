// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test that hangs fails by a timeout, so that the build ends. */
class TestTimeoutTest {
    private static final String DEFAULT = "junit.jupiter.execution.timeout.default";

    private final Project project = Project.here();
    private Optional<String> limit = Optional.empty();

    @RegisterExtension
    final BeforeEachCallback parameters = context -> limit = context.getConfigurationParameter(DEFAULT);

    /** Other ways to run tests, such as an IDE, may set no timeout. */
    @Test
    void theBuildGivesEachTestATimeout() {
        assumeThat(System.getProperty("surefire.real.class.path", System.getProperty("surefire.test.class.path")))
                .as("run by Surefire")
                .isNotNull();
        assertThat(limit).hasValueSatisfying(text -> assertThat(text).matches("[1-9][0-9]? m"));
    }

    @Test
    void theRootPomSetsTheTimeoutsOfTestsAndOfTheirJvm() {
        assertThat(Project.read(project.path("pom.xml")))
                .contains(DEFAULT + " = ")
                .contains("junit.jupiter.execution.timeout.threaddump.enabled = true")
                .contains("<forkedProcessTimeoutInSeconds>");
    }

    @Test
    void noModuleSetsOthers() {
        assertThat(project.written()
                        .filter(file -> file.endsWith("pom.xml"))
                        .filter(file -> !file.equals(project.path("pom.xml")))
                        .filter(file -> Project.read(file).contains("<configurationParameters>"))
                        .map(Path::toString))
                .isEmpty();
    }
}
