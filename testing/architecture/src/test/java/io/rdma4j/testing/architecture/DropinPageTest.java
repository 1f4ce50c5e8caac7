// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the table of what programs in C do, on the page of the drop-in library, with the tests that it names. */
class DropinPageTest {
    private static final int ROWS = 15;
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\|.*$");
    private static final Pattern METHOD = Pattern.compile("`(\\w+Test)\\.(\\w+)`");

    private final Project project = Project.here();

    private List<MatchResult> rows() {
        return ROW.matcher(Project.read(project.path("docs/dropin.md")))
                .results()
                .toList();
    }

    private static Stream<MatchResult> tests(MatchResult row) {
        return METHOD.matcher(row.group()).results();
    }

    private Set<String> methods(String className) {
        return project.sources().stream()
                .filter(file -> file.name().equals(className + ".java"))
                .map(SourceFile::parse)
                .map(TestClasses::methods)
                .findFirst()
                .orElse(Set.of());
    }

    @Test
    void everyRowNamesATest() {
        assertThat(rows())
                .extracting(row -> Integer.valueOf(row.group(1)))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, ROWS).boxed().toList());
        assertThat(rows()).allMatch(row -> tests(row).findAny().isPresent());
    }

    @Test
    void everyNamedTestIsThere() {
        assertThat(rows().stream().flatMap(DropinPageTest::tests).distinct())
                .allSatisfy(named -> assertThat(methods(named.group(1)))
                        .as("tests of %s", named.group(1))
                        .contains(named.group(2)));
    }
}
