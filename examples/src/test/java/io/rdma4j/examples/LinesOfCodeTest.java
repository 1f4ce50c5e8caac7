// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The number of lines that docs/lines-of-code.md and the README give for our echo pair. */
class LinesOfCodeTest {
    private static final int MOST_LINES = 25;
    private static final Pattern NOT_COUNTED = Pattern.compile("|//.*|/\\*.*|\\*.*|(import|package) .*");
    private static final Path SOURCE = Path.of("src", "main", "java", "io", "rdma4j", "examples", "EchoPair.java");

    private static long lines() throws IOException {
        return Files.readAllLines(SOURCE).stream()
                .filter(line -> !NOT_COUNTED.matcher(line.strip()).matches())
                .count();
    }

    private static int stated(Path page, String pattern) throws IOException {
        Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(page));
        assertThat(matcher.find()).as(pattern).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    @Test
    void theEchoPairIsShort() throws IOException {
        assertThat(lines()).isPositive().isLessThanOrEqualTo(MOST_LINES);
    }

    @Test
    void thePagesGiveItsNumberOfLines() throws IOException {
        assertThat(lines())
                .isEqualTo(stated(Path.of("..", "docs", "lines-of-code.md"), "EchoPair\\.java\\)[^|]*\\| (\\d+) \\|"))
                .isEqualTo(stated(Path.of("..", "README.md"), "as a Java program of (\\d+) lines"));
    }
}
