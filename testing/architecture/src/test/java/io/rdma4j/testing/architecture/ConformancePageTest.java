// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the page of rdma-core's test cases with the conformance kit: all tests on the page exist, the page lists all
 * cases that the kit names, and each omission has a reason.
 */
class ConformancePageTest {
    private static final String KIT = "testing/conformance";
    private static final Pattern METHOD = Pattern.compile("`(\\w+(?:Cases|Test))\\.(\\w+)`");
    private static final Pattern CASE = Pattern.compile("\\btest_\\w+");
    private static final Pattern CASE_ROW = Pattern.compile("(?m)^\\| `test_.* \\| (.*) \\|$");
    private static final Pattern CARRIER_ROW = Pattern.compile("(?m)^\\| ([\\w ]+) \\| `(\\w+Test)` \\|");
    private static final Pattern LEFT_OUT_ROW = Pattern.compile("(?m)^\\| `(\\w+Cases)` \\| ([\\w ]+) \\| \\S.* \\|$");
    private static final Pattern REASON = Pattern.compile("(missing|no): \\w.*");
    private static final String VENDORS = "## Files of manufacturers";

    private final Project project = Project.here();
    private final String page = Project.read(project.path("docs/conformance.md"));
    private final List<SourceFile> sources = project.sources();

    private static Stream<MatchResult> all(Pattern pattern, String text) {
        return pattern.matcher(text).results();
    }

    private Optional<SourceFile> source(String className) {
        return sources.stream()
                .filter(file -> file.name().equals(className + ".java"))
                .findFirst();
    }

    private Set<String> testsOf(String className) {
        return source(className)
                .map(SourceFile::parse)
                .map(TestClasses::methods)
                .orElse(Set.of());
    }

    /** The abstract classes of the kit that contain cases. */
    private List<SourceFile> kit() {
        return project.sources(KIT, "src/main/java").stream()
                .filter(file -> file.name().endsWith("Cases.java"))
                .filter(file -> !TestClasses.methods(file.parse()).isEmpty())
                .toList();
    }

    @Test
    void everyMethodOnThePageIsATest() {
        String ofSubnets = Project.read(project.path("docs/infiniband-tests.md"));
        assertThat(all(METHOD, ofSubnets)).hasSizeGreaterThan(60);
        assertThat(all(METHOD, page + ofSubnets))
                .allSatisfy(named -> assertThat(testsOf(named.group(1)))
                        .as("tests of %s", named.group(1))
                        .contains(named.group(2)));
    }

    @Test
    void everyCaseThatTheKitNamesIsOnThePage() {
        Set<String> onPage = all(CASE, page).map(MatchResult::group).collect(Collectors.toSet());
        Set<String> inKit = kit().stream()
                .flatMap(file -> all(CASE, file.text()))
                .map(MatchResult::group)
                .collect(Collectors.toSet());
        assertThat(inKit).hasSizeGreaterThan(100);
        assertThat(onPage).containsAll(inKit);
    }

    @Test
    void everyCaseHasAnAnswerOrAReason() {
        List<String> answers = all(CASE_ROW, page.substring(0, page.indexOf(VENDORS)))
                .map(row -> row.group(1))
                .toList();
        assertThat(answers)
                .hasSizeGreaterThan(100)
                .allSatisfy(answer -> assertThat(METHOD.matcher(answer).find()
                                || REASON.matcher(answer).matches())
                        .as(answer)
                        .isTrue());
    }

    @Test
    void theKitRunsOnEveryCarrierUnlessThePageSaysWhyNot() {
        Set<String> leftOut = new TreeSet<>();
        all(CARRIER_ROW, page).forEach(carrier -> {
            String runs = source(carrier.group(2)).orElseThrow().text();
            kit().stream()
                    .map(file -> file.name().replace(".java", ""))
                    .filter(cases -> !runs.contains(" extends " + cases + " "))
                    .forEach(cases -> leftOut.add(cases + " on " + carrier.group(1)));
        });
        assertThat(all(CARRIER_ROW, page)).hasSize(7);
        assertThat(all(LEFT_OUT_ROW, page).map(row -> row.group(1) + " on " + row.group(2)))
                .containsExactlyInAnyOrderElementsOf(leftOut);
    }
}
