// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Limits the number of types in a package, and the number of types of a module that depend on each other. */
class StructureTest {
    private static final int TYPES_OF_A_PACKAGE = 45;
    private static final Map<String, Integer> LARGER_PACKAGES = Map.of("io.rdma4j.verbs", 46);
    private static final int TYPES_OF_A_KNOT = 3;
    private static final Map<String, Integer> LARGER_KNOTS =
            Map.of("packet", 4, "hca", 7, "rxe", 7, "net", 20, "ip", 11, "loop", 9, "verbs", 39);

    private static final Map<String, TypeGraph> GRAPHS = new TreeMap<>();

    /** Types of other modules are not looked up: a graph is of one module. */
    @BeforeAll
    static void importClasses() {
        Project project = Project.here();
        ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            project.modulesWithCode()
                    .forEach(module -> GRAPHS.put(
                            module, TypeGraph.of(new ClassFileImporter().importPath(project.classes(module)))));
        });
    }

    @Test
    void noPackageHasTooManyTypes() {
        Map<String, Integer> sizes = new TreeMap<>();
        GRAPHS.values().forEach(graph -> sizes.putAll(graph.packageSizes()));
        ShrinkingList list = ShrinkingList.parse(
                TidyTest.resource("large-packages.txt"),
                name -> LARGER_PACKAGES.getOrDefault(name, TYPES_OF_A_PACKAGE));

        assertThat(list.complaints(sizes)).isEmpty();
    }

    @Test
    void noModuleHasALargeKnotOfTypes() {
        Map<String, Integer> knots = new TreeMap<>();
        GRAPHS.forEach((module, graph) -> knots.put(module, graph.largestKnot().size()));
        ShrinkingList list = ShrinkingList.parse(
                TidyTest.resource("knots.txt"), name -> LARGER_KNOTS.getOrDefault(name, TYPES_OF_A_KNOT));

        assertThat(list.complaints(knots)).isEmpty();
    }

    @Test
    void typesThatUseEachOtherAreAKnot() {
        TypeGraph graph = new TypeGraph(Map.of(
                "p.A",
                List.of("p.B"),
                "p.B",
                List.of("p.C"),
                "p.C",
                List.of("p.A", "q.D"),
                "q.D",
                List.of("q.E"),
                "q.E",
                List.of()));

        assertThat(graph.largestKnot()).isEqualTo(Set.of("p.A", "p.B", "p.C"));
        assertThat(graph.packageSizes()).isEqualTo(Map.of("p", 3, "q", 2));
    }
}
