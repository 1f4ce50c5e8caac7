// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The links of the documents lead somewhere, the names of types and methods exist, and the overview stays short. */
class DocumentsTest {
    private static final int MOST_LINES_OF_THE_OVERVIEW = 150;
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```");
    private static final Pattern MEMBER = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)\\.(?!java`)([a-z]\\w*)(?:\\([^`]*)?`");
    private static final Pattern PACKAGE = Pattern.compile("`(io\\.rdma4j[\\w.]+)`");

    /** Pages that name members of the API in the running text. */
    private static final List<String> PAGES =
            List.of("getting-started", "threads", "tuning", "troubleshooting", "containers", "two-machines");

    private static final Set<String> OF_THE_JDK = Set.of("Arena", "ByteBuffer");

    private final Project project = Project.here();
    private final PublicTypes types = new PublicTypes(project);

    private List<Path> pages() {
        Stream<Path> top = Stream.of("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY")
                .map(name -> project.path(name + ".md"));
        return Stream.of(
                        top,
                        Project.files(project.path("docs")),
                        Project.files(project.path("spec")),
                        Project.files(project.path(".github")),
                        Project.files(project.path("artifact/dist")))
                .flatMap(files -> files)
                .filter(file -> file.toString().endsWith(".md"))
                .toList();
    }

    private static Stream<MatchResult> all(Pattern pattern, String text) {
        return pattern.matcher(text).results();
    }

    /** The anchors of the headings, as GitHub makes them. */
    private static Set<String> anchors(String text) {
        return all(HEADING, text)
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w\\s-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static void check(Path page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        assertThat(Files.exists(target)).as("%s links to %s", page, link).isTrue();
        if (parts.length == 2) {
            assertThat(anchors(Project.read(target)))
                    .as("%s links to %s", page, link)
                    .contains(parts[1]);
        }
    }

    @Test
    void everyLinkWithinTheProjectLeadsSomewhere() {
        assertThat(pages())
                .hasSizeGreaterThan(30)
                .allSatisfy(page -> assertThat(
                                all(LINK, CODE_BLOCK.matcher(Project.read(page)).replaceAll(""))
                                        .map(link -> link.group(1))
                                        .filter(link -> !link.contains("://")))
                        .allSatisfy(link -> check(page, link)));
    }

    @Test
    void everyPageIsReachedFromTheReadme() {
        String linked = Stream.of("README.md", "ARCHITECTURE.md", "docs/performance.md")
                .map(name -> Project.read(project.path(name)))
                .collect(Collectors.joining());
        assertThat(pages())
                .filteredOn(page -> project.path("docs").equals(page.getParent()))
                .allSatisfy(
                        page -> assertThat(linked).contains(page.getFileName().toString()));
    }

    @Test
    void theOverviewOfTheArchitectureIsShort() {
        assertThat(Project.read(project.path("ARCHITECTURE.md")).lines())
                .hasSizeLessThanOrEqualTo(MOST_LINES_OF_THE_OVERVIEW);
    }

    @Test
    void everyMethodOnThePagesForUsersIsPublic() {
        assertThat(PAGES.stream()
                        .flatMap(page -> all(MEMBER, Project.read(project.path("docs/" + page + ".md"))))
                        .filter(member -> !OF_THE_JDK.contains(member.group(1))))
                .hasSizeGreaterThan(10)
                .allSatisfy(this::isPublic);
    }

    /** The first column has the names of another library. */
    @Test
    void everyMethodThatReplacesOneOfAnotherLibraryIsPublic() {
        Stream<String> ours = Project.read(project.path("docs/coming-from.md"))
                .lines()
                .map(line -> line.startsWith("| ") ? line.substring(line.lastIndexOf("|", line.length() - 2)) : line)
                .filter(line -> !line.startsWith("Both "));
        assertThat(ours.flatMap(cell -> all(MEMBER, cell)).filter(member -> !OF_THE_JDK.contains(member.group(1))))
                .hasSizeGreaterThan(30)
                .allSatisfy(this::isPublic);
    }

    private void isPublic(MatchResult member) {
        assertThat(types.members(member.group(1)))
                .as("public methods of %s", member.group(1))
                .contains(member.group(2));
    }

    @Test
    void thePackagesThatAreApiAreExported() {
        assertThat(all(PACKAGE, Project.read(project.path("docs/compatibility.md"))))
                .extracting(name -> name.group(1))
                .hasSizeGreaterThan(5)
                .allSatisfy(name -> assertThat(types.packages()).contains(name));
    }
}
