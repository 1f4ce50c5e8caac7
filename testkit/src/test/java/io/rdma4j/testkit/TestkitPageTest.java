// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testkit.UserProject.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Follows the page of the test kit from an empty directory, as a user does. */
class TestkitPageTest {
    private static final Path PAGE = Path.of("..", "docs", "testkit.md");
    private static final Pattern POM = Pattern.compile("```xml\n(.*?)```", Pattern.DOTALL);
    private static final int MOST_LINES = 15;

    @TempDir
    private Path directory;

    private static Pattern testClass(String name) {
        return Pattern.compile("```java\n((?:(?!```).)*class " + name + " .*?)```", Pattern.DOTALL);
    }

    /** The group of the first match of a pattern. */
    private static String first(Pattern pattern, Path file) throws IOException {
        var matcher = pattern.matcher(Files.readString(file));
        assertThat(matcher.find()).as("%s in %s", pattern, file).isTrue();
        return matcher.group(1);
    }

    @Test
    @Timeout(value = 180, unit = TimeUnit.SECONDS) // 60 on a machine that does nothing else
    void theFirstTestIsShortAndGreen() throws IOException, InterruptedException {
        String source = first(testClass("TransferTest"), PAGE);
        assertThat(source.lines().filter(line -> !line.isBlank())).hasSizeLessThanOrEqualTo(MOST_LINES);

        Run run = new UserProject(directory).test("TransferTest", source);

        assertThat(run.output()).contains("1 succeeded");
        assertThat(run.exitCode()).isZero();
        assertThat(files(".pcap")).isEmpty();
    }

    @Test
    void theFailingTestLeavesWhatThePageShows() throws IOException, InterruptedException {
        Run run = new UserProject(directory).test("PartitionTest", first(testClass("PartitionTest"), PAGE));

        assertThat(run.exitCode()).as(run.output()).isEqualTo(1);
        String repeat = first(Pattern.compile("(?m)^( +repeat: .*)$"), PAGE);
        assertThat(run.output())
                .contains("not in time: 1 completions of queue pair")
                .contains(repeat);
        List<Path> captures = files(".pcap");
        assertThat(captures).hasSize(2);
        for (Path capture : captures) {
            assertThat(run.output()).contains("file: " + capture.toRealPath());
            assertThat(Captures.tally(capture).good()).isPositive();
        }
        assertThat(files(".jfr")).hasSize(1);
    }

    private List<Path> files(String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    @Test
    void theProjectFileNamesTheArtifactThatIsBuiltHere() throws IOException {
        String pom = first(POM, PAGE);
        Path built = Path.of("pom.xml");
        assertThat(first(version("rdma4j-testkit"), PAGE)).isEqualTo(first(version("rdma4j-parent"), built));
        assertThat(first(version("junit-jupiter-engine"), PAGE))
                .isEqualTo(first(Pattern.compile("<junit.version>(.*?)</junit.version>"), Path.of("..", "pom.xml")));
        assertThat(pom.split("<dependency>", -1))
                .as("the kit and an engine for JUnit")
                .hasSize(3);
    }

    private static Pattern version(String artifact) {
        return Pattern.compile("<artifactId>" + artifact + "</artifactId>\\s*<version>(.*?)</version>");
    }

    @Test
    void usersGetNoForeignArtifactButJUnit() throws IOException {
        String pom = Files.readString(Path.of("pom.xml"));
        assertThat(Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL)
                        .matcher(pom)
                        .results()
                        .map(match -> match.group(1))
                        .filter(dependency -> !dependency.contains("<scope>"))
                        .filter(dependency -> !dependency.contains("<groupId>io.rdma4j</groupId>")))
                .singleElement()
                .asString()
                .contains("<artifactId>junit-jupiter-api</artifactId>");
    }
}
