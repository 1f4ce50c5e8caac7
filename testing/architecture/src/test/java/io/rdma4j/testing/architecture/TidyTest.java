// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tidiness of the sources. */
class TidyTest {
    private static final int FILE_LIMIT_LINES = 800;
    private static final int WIDTH_LIMIT = 120;
    private static final Pattern COMMENT = Pattern.compile("^\\s*(/\\*|\\*|//)");
    private static final List<String> TEXT =
            List.of(".java", ".md", ".txt", ".csv", ".xml", ".properties", ".dot", ".sh", "rdma4j", "run");

    /** The rules and their bad samples contain what they forbid. */
    private static final String RULES = "testing/architecture/src/test";

    private final Project project = Project.here();

    @Test
    void noFileIsTooLong() {
        assertThat(project.sources())
                .isNotEmpty()
                .allSatisfy(file ->
                        assertThat(file.text().lines().count()).as(file.path()).isLessThanOrEqualTo(FILE_LIMIT_LINES));
    }

    /** The default build does not compile the stress tests. One in the package of nothing would not compile later. */
    @Test
    void stressTestsStandInPackagesOfTheProduct() {
        Path tests = project.path("testing/stress/src/test/java");
        assertThat(Project.files(tests).map(file -> tests.relativize(file.getParent())))
                .isNotEmpty()
                .allMatch(name -> name.endsWith("stress")
                        || project.modulesWithCode().stream()
                                .anyMatch(module -> Files.isDirectory(project.path(module)
                                        .resolve("src/main/java")
                                        .resolve(name))));
    }

    /** The formatter wraps code. It leaves comments whose words it may not part, and text. */
    @Test
    void noCommentIsTooWide() {
        assertThat(project.sources().stream()
                        .flatMap(file -> file.text()
                                .lines()
                                .filter(line -> line.length() > WIDTH_LIMIT
                                        && COMMENT.matcher(line).find())
                                .map(line -> file.path() + ": " + line.strip())))
                .isEmpty();
    }

    /** No formatter runs on C. A tab counts as four columns. */
    @Test
    void noLineOfCIsTooWide() {
        assertThat(project.modules().stream()
                        .flatMap(module -> Project.files(project.path(module).resolve("src/main/c")))
                        .toList())
                .isNotEmpty()
                .allSatisfy(file -> assertThat(Project.read(file).lines())
                        .as(file.toString())
                        .noneMatch(line -> line.replace("\t", "    ").length() > WIDTH_LIMIT));
    }

    @Test
    void noFunctionIsTooLong() {
        Map<String, Integer> tooLong = new TreeMap<>();
        SourceFile.parse(project.sources()).forEach(file -> tooLong.putAll(FunctionLength.tooLong(file)));

        assertThat(ShrinkingList.parse(resource("long-functions.txt"), _ -> FunctionLength.LIMIT)
                        .complaints(tooLong))
                .isEmpty();
    }

    @Test
    void noFileHasBannedText() {
        BannedText banned = BannedText.parse(resource("banned-text.txt"));

        assertThat(project.written()
                        .filter(file -> TEXT.stream().anyMatch(file.toString()::endsWith))
                        .filter(file -> !file.startsWith(project.path(RULES)))
                        .flatMap(file ->
                                banned
                                        .complaints(
                                                project.path("")
                                                        .relativize(file)
                                                        .toString(),
                                                Project.read(file))
                                        .stream()))
                .isEmpty();
    }

    @Test
    void everyPackageSaysWhatItIsFor() {
        assertThat(project.modules().stream()
                        .flatMap(module -> PackageInfos.complaints(project.sources(module, "src/main/java")).stream()))
                .isEmpty();
    }

    @Test
    void everyTestClassIsNamedSoThatItRuns() {
        List<SourceFile> tests = project.modules().stream()
                .flatMap(module -> project.sources(module, "src/test/java").stream())
                .filter(file -> !file.path().contains("/architecture/samples/"))
                .toList();
        assertThat(SourceFile.parse(tests).stream().flatMap(source -> TestClasses.complaints(source).stream()))
                .isEmpty();
    }

    /** Ensures that all modules are built and tested before these rules check them, in every partial build. */
    @Test
    void thisModuleComesAfterEveryModuleWithCode() {
        String pom = Project.read(project.path("testing/architecture/pom.xml"));
        Stream<String> artifacts = project.modulesWithCode().stream().map(TidyTest::artifact);

        assertThat(artifacts)
                .allSatisfy(artifact -> assertThat(pom)
                        .as("dependencies of testing/architecture")
                        .contains("<artifactId>" + artifact + "</artifactId>"));
        assertThat(project.modulesOfEveryBuild()).last().isEqualTo("testing/architecture");
    }

    private static String artifact(String module) {
        return module.equals("artifact/rdma4j") ? "rdma4j" : "rdma4j-" + module.replace('/', '-');
    }

    static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(TidyTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
