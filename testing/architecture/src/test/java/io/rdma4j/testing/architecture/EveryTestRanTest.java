// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the reports of the modules that were tested before this one. Surefire silently skips a class that matches none
 * of its patterns, and a build without tests succeeds.
 */
class EveryTestRanTest {
    private static final String SELF = "testing/architecture";

    private final Project project = Project.here();

    @Test
    void everyTestClassHasAReport() {
        List<String> missing = new ArrayList<>();
        forEachTestClass((reports, testClass) -> {
            if (!reports.has(testClass)) {
                missing.add(testClass);
            }
        });
        assertThat(missing)
                .as("test classes that were not run; for a look at this module alone, run the whole build once")
                .isEmpty();
    }

    @Test
    void asManyTestsRanAsWereCountedWhenTheNumberWasCommitted() {
        int minimum = Integer.parseInt(TidyTest.resource("minimum-tests.txt").strip());
        int[] ran = new int[1];
        forEachTestClass((reports, testClass) -> ran[0] += reports.ran(testClass));

        assertThat(ran[0])
                .as("tests that ran; if tests were removed on purpose, lower the number in minimum-tests.txt")
                .isGreaterThanOrEqualTo(minimum);
    }

    @Test
    void aClassWithoutReportIsNoticed(@TempDir Path module) {
        assertThat(new SurefireReports(module).has("p.FooTest")).isFalse();
        assertThat(new SurefireReports(module).ran("p.FooTest")).isZero();
    }

    @Test
    void skippedTestsDoNotCountAndNestedOnesDo(@TempDir Path module) throws IOException {
        Path reports = Files.createDirectories(module.resolve("target/surefire-reports"));
        String suite = "<?xml?>\n<testsuite name=\"x\" tests=\"%d\" errors=\"0\" skipped=\"%d\">\n";
        Files.writeString(reports.resolve("TEST-p.FooTest.xml"), suite.formatted(5, 2));
        Files.writeString(reports.resolve("TEST-p.FooTest$Inner.xml"), suite.formatted(1, 0));
        Files.writeString(reports.resolve("TEST-p.FooTestament.xml"), suite.formatted(9, 0));

        assertThat(new SurefireReports(module).ran("p.FooTest")).isEqualTo(4);
    }

    private void forEachTestClass(BiConsumer<SurefireReports, String> action) {
        for (String module : project.modulesOfEveryBuild()) {
            if (module.equals(SELF)) {
                continue; // its tests are still running
            }
            SurefireReports reports = new SurefireReports(project.path(module));
            SourceFile.parse(project.sources(module, "src/test/java")).stream()
                    .map(TestClasses::expected)
                    .flatMap(Optional::stream)
                    .forEach(testClass -> action.accept(reports, testClass));
        }
    }
}
