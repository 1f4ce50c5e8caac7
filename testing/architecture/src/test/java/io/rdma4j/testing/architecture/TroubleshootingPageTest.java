// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.verbs.wr.WcStatus;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The messages, error numbers and statuses of the page are those that the code prints. */
class TroubleshootingPageTest {
    private static final Pattern MESSAGE = Pattern.compile("(?m)^\\| (?:(?:E[A-Z]+) \\| )?`([^`]+)` \\|");
    private static final Pattern STATUS = Pattern.compile("(?m)^\\| ([A-Z_]+_ERR) \\| `([^`]+)` \\|");
    private static final Pattern NUMBER = Pattern.compile("(?m)^\\| (E[A-Z0-9]+) \\| (\\d+) \\|");
    private static final Pattern ERRNO = Pattern.compile("\\bE[A-Z]{3,}\\b");

    /** The operator between two literals that are one text. */
    private static final Pattern JOINT = Pattern.compile("\"\\s*\\+\\s*\"");

    private final Project project = Project.here();
    private final String page = Project.read(project.path("docs/troubleshooting.md"));
    private final List<String> sources = Stream.concat(
                    project.modules().stream()
                            .flatMap(module -> project.sources(module, "src/main/java").stream())
                            .map(SourceFile::text)
                            .map(text -> JOINT.matcher(text).replaceAll("")),
                    Stream.of(Project.read(project.path("rdma4j"))))
            .toList();

    private Stream<MatchResult> all(Pattern pattern) {
        return pattern.matcher(page).results();
    }

    /** The literal parts of a message, between its ellipses. */
    private static List<String> parts(String message) {
        return Arrays.stream(message.split("…"))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .map(part -> part.replace("\"", "\\\""))
                .toList();
    }

    @Test
    void everyMessageIsPrintedByOneFileOfTheCode() {
        assertThat(all(MESSAGE).map(row -> row.group(1))).hasSizeGreaterThan(40).allSatisfy(message -> {
            List<String> parts = parts(message);
            assertThat(parts).as(message).isNotEmpty();
            assertThat(sources).as(message).anyMatch(text -> parts.stream().allMatch(text::contains));
        });
    }

    @Test
    void everyStatusHasItsText() {
        assertThat(all(STATUS))
                .hasSizeGreaterThan(10)
                .allSatisfy(
                        row -> assertThat(WcStatus.valueOf(row.group(1)).text()).isEqualTo(row.group(2)));
    }

    @Test
    void thePageHasAllErrorNumbers() {
        assertThat(all(NUMBER).map(row -> row.group(1) + " " + row.group(2)))
                .containsExactlyElementsOf(Arrays.stream(Errno.values())
                        .map(errno -> errno + " " + errno.code())
                        .toList());
    }

    @Test
    void everyErrorNumberOnThePageExists() {
        List<String> known = Arrays.stream(Errno.values()).map(Errno::name).toList();
        assertThat(all(ERRNO).map(MatchResult::group)).isNotEmpty().allMatch(known::contains);
    }
}
