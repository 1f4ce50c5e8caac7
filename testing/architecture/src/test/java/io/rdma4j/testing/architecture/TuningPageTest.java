// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The page of settings lists the environment variables and system properties that the main code reads, and no others.
 */
class TuningPageTest {
    private static final Pattern VARIABLE = Pattern.compile("\\bRDMA4J_[A-Z_]*[A-Z]\\b");

    /**
     * The name of a property in the code: no flight recorder event, which has a capital letter, and no log category.
     */
    private static final Pattern PROPERTY_IN_CODE =
            Pattern.compile("(?<!CATEGORY = )\"((?:io\\.)?rdma4j\\.[a-z]\\w*(?:\\.[a-z]\\w*)*)\"");

    private static final Pattern PROPERTY = Pattern.compile("`((?:io\\.)?rdma4j\\.[a-z][\\w.]*)`");

    /** The first two cells of a row: variables and properties. */
    private static final Pattern NAMES = Pattern.compile("(?m)^\\|([^|]*\\|[^|]*)\\|[^|]*\\|[^|]*\\|");

    private final Project project = Project.here();
    private final String code = Stream.concat(
                    project.modules().stream()
                            .flatMap(module -> project.sources(module, "src/main/java").stream())
                            .map(SourceFile::text),
                    Stream.of(Project.read(project.path("rdma4j"))))
            .collect(Collectors.joining("\n"));
    private final String names = NAMES.matcher(Project.read(project.path("docs/tuning.md")))
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.joining("\n"));

    private static Set<String> all(Pattern pattern, int group, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(group))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void thePageHasTheVariablesOfTheCode() {
        assertThat(all(VARIABLE, 0, names)).hasSizeGreaterThan(5).isEqualTo(all(VARIABLE, 0, code));
    }

    @Test
    void thePageHasThePropertiesOfTheCode() {
        Set<String> read = all(PROPERTY_IN_CODE, 1, code);
        assertThat(all(PROPERTY, 1, names)).hasSizeGreaterThan(8).isEqualTo(read);
    }
}
