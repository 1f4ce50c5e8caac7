// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The numbers of lines that docs/lines-of-code.md and the README give for our programs. */
class LinesOfCodeTest {
    private static final int MOST_LINES = 25;
    private static final Pattern NOT_COUNTED = Pattern.compile("|//.*|/\\*.*|\\*.*|(import|package) .*");
    private static final Path SOURCES = Path.of("src", "main", "java", "io", "rdma4j", "examples");
    private static final Path PAGE = Path.of("..", "docs", "lines-of-code.md");

    private static int lines(String program) throws IOException {
        return Math.toIntExact(Files.readAllLines(SOURCES.resolve(program + ".java")).stream()
                .filter(line -> !NOT_COUNTED.matcher(line.strip()).matches())
                .count());
    }

    private static int stated(Path page, String pattern) throws IOException {
        Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(page));
        assertThat(matcher.find()).as(pattern).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"EchoPair", "EndpointPair"})
    void thePageGivesTheNumberOfLines(String program) throws IOException {
        assertThat(stated(PAGE, program + "\\.java\\)[^|]*\\| (\\d+) \\|")).isEqualTo(lines(program));
    }

    @Test
    void theEchoPairIsAsShortAsTheReadmeSays() throws IOException {
        assertThat(lines("EchoPair")).isLessThanOrEqualTo(MOST_LINES);
        assertThat(stated(Path.of("..", "README.md"), "as a Java program of (\\d+) lines"))
                .isEqualTo(lines("EchoPair"));
    }
}
