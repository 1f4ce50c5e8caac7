// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The glossary agrees with the code, and each simple name belongs to one type. */
class VocabularyTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$");
    private static final Pattern TYPE = Pattern.compile("`(\\w+)`");
    private static final int LEAST_ROWS = 50;
    private static final Pattern UNPLAIN = Pattern.compile(
            "(?i)\\b(whoever|nobody|somebody|in vain|of late|\\w*patien\\w*|graves?|audience|strangers?)\\b");

    /** Entry points of two programs, and an exception of two independent shells. */
    private static final Set<String> SHARED_NAMES = Set.of("Main", "UsageException", "package-info", "module-info");

    private final Project project = Project.here();
    private final List<SourceFile> mainSources = project.modules().stream()
            .flatMap(module -> project.sources(module, "src/main/java").stream())
            .toList();
    private final List<MatchResult> rows = ROW.matcher(Project.read(project.path("docs/glossary.md")))
            .results()
            .skip(1)
            .filter(row -> !row.group(1).startsWith("---"))
            .toList();

    private static String simpleName(SourceFile file) {
        return Path.of(file.path()).getFileName().toString().replace(".java", "");
    }

    @Test
    void everyWordOfTheGlossaryNamesTypesThatExist() {
        Set<String> types = mainSources.stream().map(VocabularyTest::simpleName).collect(Collectors.toSet());
        Set<String> ofTests = project.sources("testing/architecture", "src/test/java").stream()
                .map(VocabularyTest::simpleName)
                .collect(Collectors.toSet());

        assertThat(rows).hasSizeGreaterThan(LEAST_ROWS).allSatisfy(row -> {
            List<String> named = TYPE.matcher(row.group(3))
                    .results()
                    .map(type -> type.group(1))
                    .toList();
            assertThat(named)
                    .as(row.group(1))
                    .isNotEmpty()
                    .allMatch(name -> types.contains(name) || ofTests.contains(name));
        });
    }

    @Test
    void theGlossaryIsInAlphabeticalOrder() {
        assertThat(rows).extracting(row -> row.group(1)).isSortedAccordingTo(String.CASE_INSENSITIVE_ORDER);
    }

    /**
     * Sentences name the actor (the caller, the loop thread, the peer, the driver) and the mechanism, not a picture of
     * it.
     */
    @Test
    void mainSourcesArePlain() {
        assertThat(mainSources)
                .allSatisfy(file -> assertThat(UNPLAIN.matcher(file.text()).results())
                        .extracting(MatchResult::group)
                        .as(file.path())
                        .isEmpty());
    }

    @Test
    void noTwoTypesHaveTheSameSimpleName() {
        Map<String, Set<String>> paths = new TreeMap<>();
        mainSources.forEach(file ->
                paths.computeIfAbsent(simpleName(file), _ -> new TreeSet<>()).add(file.path()));

        Stream<Set<String>> shared = paths.entrySet().stream()
                .filter(entry -> !SHARED_NAMES.contains(entry.getKey()))
                .map(Map.Entry::getValue)
                .filter(files -> files.size() > 1);
        assertThat(shared).isEmpty();
    }
}
