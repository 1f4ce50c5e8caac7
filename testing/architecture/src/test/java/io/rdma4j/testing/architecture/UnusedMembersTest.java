// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.rdma4j.testing.architecture.samples.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Every public setter has a caller that an application or a tool can reach. */
class UnusedMembersTest {
    private final Project project = Project.here();

    /** Modules that only test or measure. */
    private static final List<String> NO_CALLERS = List.of(
            "bench",
            "testing/conformance",
            "testing/endpoint",
            "testing/ledger",
            "testing/stress",
            "testing/architecture");

    @Test
    void everyPublicSetterHasACallerOutsideTests() {
        JavaClasses all = classes(project.modulesWithCode().stream()
                .filter(module -> !NO_CALLERS.contains(module))
                .toList());
        Set<String> unused = new TreeSet<>();
        for (String module : List.of("net", "loop", "ip", "links", "linux", "shm", "udp", "rxe", "verbs")) {
            JavaClasses part = classes(List.of(module));
            assertThat(part).as(module).isNotEmpty();
            unused.addAll(UnusedMembers.of(part, all));
        }
        assertThat(UnusedMembers.parse(TidyTest.resource("unused-setters.txt")).complaints(unused))
                .isEmpty();
    }

    @Test
    void aSetterThatNothingCallsIsFound() {
        JavaClasses sample = new ClassFileImporter().importClasses(Settings.class);
        assertThat(UnusedMembers.of(sample, sample))
                .containsExactly("testing.architecture.samples.Settings.colour(String)");
    }

    @Test
    void theListOnlyShrinks() {
        UnusedMembers list = UnusedMembers.parse("# comment\na.B.c(int)\n");
        assertThat(list.complaints(Set.of("a.B.c(int)"))).isEmpty();
        assertThat(list.complaints(Set.of())).singleElement().asString().contains("take its line out");
        assertThat(list.complaints(Set.of("a.B.c(int)", "a.B.d(int)")))
                .singleElement()
                .asString()
                .contains("a.B.d(int) has no caller");
    }

    private JavaClasses classes(List<String> modules) {
        return new ClassFileImporter()
                .importPaths(modules.stream().map(project::classes).toArray(Path[]::new));
    }
}
