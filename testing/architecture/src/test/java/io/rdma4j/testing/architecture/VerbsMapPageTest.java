// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.FeatureList;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the page of C names with the feature list, which mentions them, and with the corresponding public API. */
class VerbsMapPageTest {
    private static final List<String> PUBLIC_MODULES = List.of(
            "base", "net", "loop", "ip", "links", "linux", "shm", "udp", "verbs", "mad", "sa", "cm", "rdmacm", "rxe",
            "uverbs", "netlab");
    private static final Pattern C_NAME = Pattern.compile("\\bibv?_[a-z0-9_]*[a-z0-9]");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`ibv?_.*?) \\| (.*?) \\| .*\\|$");
    private static final Pattern CLASS = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)`");
    private static final Pattern METHOD = Pattern.compile("`([A-Z]\\w*)\\.(\\w+)`");
    private static final Pattern MODULE = Pattern.compile("module `io\\.rdma4j\\.(\\w+)`");
    private static final Pattern NO_CODE = Pattern.compile("not there|automatic|tool|module `io\\.rdma4j\\.\\w+`");
    private static final Pattern DROPPED = Pattern.compile("not applicable: (\\w+-\\d+)");
    private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+)\\b");
    private static final String RELEASES = "Releases of the specification";
    private static final Pattern SECTION = Pattern.compile("(?m)^## (.*)$");
    private static final Pattern RELEASE =
            Pattern.compile("(?m)^\\| ([A-Z][^|`]*?) \\| ((?:IBA|Linux)[^|]*) \\| [^|]* \\|$");
    private static final Set<String> OF_THE_JDK = Set.of("List", "Consumer");

    private final Project project = Project.here();
    private final String page = Project.read(project.path("docs/verbs-map.md"));
    private final List<String> api =
            PUBLIC_MODULES.stream().flatMap(this::exportedClasses).toList();

    private static Stream<MatchResult> all(Pattern pattern, String text) {
        return pattern.matcher(text).results();
    }

    private static Stream<String> cNames(String text) {
        return all(C_NAME, text).map(MatchResult::group);
    }

    /** The packages that a module exports, as paths. */
    private Set<String> exported(String module) {
        return all(EXPORT, Project.read(project.path(module + "/src/main/java/module-info.java")))
                .map(export -> export.group(1).replace('.', '/'))
                .collect(Collectors.toSet());
    }

    /** Names of the classes in a module's exported packages, as paths such as {@code io/rdma4j/base/Gid}. */
    private Stream<String> exportedClasses(String module) {
        Set<String> packages = exported(module);
        return project.sources(module, "src/main/java").stream()
                .filter(file -> file.path().contains("/io/"))
                .map(file -> file.path()
                        .substring(
                                file.path().indexOf("io/rdma4j/"), file.path().lastIndexOf('.')))
                .filter(name -> packages.contains(name.substring(0, name.lastIndexOf('/'))));
    }

    /** The exported public classes of this simple name. */
    private List<Class<?>> classes(String simpleName) {
        return api.stream()
                .filter(name -> name.endsWith("/" + simpleName))
                .<Class<?>>map(VerbsMapPageTest::load)
                .filter(type -> Modifier.isPublic(type.getModifiers()))
                .toList();
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name.replace('/', '.'));
        } catch (ClassNotFoundException e) {
            throw new AssertionError(name, e);
        }
    }

    private Set<String> methods(String simpleName) {
        return classes(simpleName).stream()
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyNameOfTheFeatureListHasARow() {
        Set<String> mentioned = FeatureList.committed().rows().stream()
                .flatMap(row -> cNames(row.title() + "\n" + row.what()))
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> onPage =
                all(ROW, page).flatMap(row -> cNames(row.group(1))).toList();
        assertThat(mentioned).hasSizeGreaterThan(200);
        assertThat(onPage).doesNotHaveDuplicates().containsAll(mentioned);
    }

    @Test
    void everyRowHasAnAnswerOrAReason() {
        assertThat(all(ROW, page).map(row -> row.group(2))).allSatisfy(answer -> {
            boolean code =
                    METHOD.matcher(answer).lookingAt() || CLASS.matcher(answer).lookingAt();
            assertThat(code || NO_CODE.matcher(answer).matches() || isDropped(answer))
                    .as(answer)
                    .isTrue();
        });
    }

    private static boolean isDropped(String answer) {
        return all(DROPPED, answer)
                .anyMatch(row -> FeatureList.committed().notApplicable().containsKey(row.group(1)));
    }

    @Test
    @Covers("GEN-20")
    void thePageNamesTheReleaseThatEachVerbFollows() {
        List<String> sections = all(SECTION, page)
                .map(heading -> heading.group(1))
                .filter(heading -> !heading.equals(RELEASES))
                .toList();
        assertThat(all(RELEASE, page).map(row -> row.group(1))).containsExactlyElementsOf(sections);
        assertThat(all(RELEASE, page).map(row -> row.group(2)))
                .allMatch(release -> release.matches("IBA 1(\\.\\d)+|Linux"));
    }

    /** What is a module of the kernel is one here. */
    @Test
    @Covers("GEN-2")
    void everyModuleOnThePageIsThere() {
        assertThat(all(MODULE, page).map(module -> module.group(1)).distinct())
                .contains("verbs", "mad", "sa", "cm", "uverbs")
                .allSatisfy(module -> assertThat(project.path(module + "/src/main/java/module-info.java"))
                        .isRegularFile());
    }

    @Test
    void everyMethodOnThePageIsPublic() {
        assertThat(all(METHOD, page))
                .hasSizeGreaterThan(100)
                .allSatisfy(named -> assertThat(methods(named.group(1)))
                        .as("public methods of %s", named.group(1))
                        .contains(named.group(2)));
    }

    @Test
    void everyClassOnThePageIsPublic() {
        assertThat(all(CLASS, page).map(named -> named.group(1)))
                .filteredOn(name -> !OF_THE_JDK.contains(name) && !name.endsWith("Test"))
                .hasSizeGreaterThan(30)
                .allSatisfy(name -> assertThat(classes(name)).as(name).hasSize(1));
    }
}
