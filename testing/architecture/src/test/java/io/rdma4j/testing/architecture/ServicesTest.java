// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.ProvidesTree;
import com.sun.source.util.TreeScanner;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Services are found on the module path and on the class path, so both must list the same providers. */
class ServicesTest {
    private static final String MAIN = "src/main";

    private final Project project = Project.here();

    @Test
    void moduleInfosAndServiceFilesListTheSameProviders() {
        for (String module : project.modulesWithCode()) {
            assertThat(ofTheClassPath(module)).as(module).isEqualTo(ofTheModulePath(module));
        }
    }

    @Test
    void theServicesOfTheProductAreSeen() {
        assertThat(ofTheModulePath("links")).containsOnlyKeys("io.rdma4j.net.ns.LinkKind");
        assertThat(ofTheModulePath("rxe").get("io.rdma4j.verbs.spi.Provider"))
                .containsExactly("io.rdma4j.rxe.RxeProvider");
    }

    /** Providers by service, of {@code META-INF/services}. */
    private Map<String, List<String>> ofTheClassPath(String module) {
        Path folder = project.path(module).resolve(MAIN + "/resources/META-INF/services");
        return Project.files(folder)
                .collect(Collectors.toMap(
                        file -> file.getFileName().toString(),
                        file -> Project.read(file)
                                .lines()
                                .map(line -> line.replaceFirst("#.*", "").strip())
                                .filter(line -> !line.isEmpty())
                                .sorted()
                                .toList(),
                        (first, _) -> first,
                        TreeMap::new));
    }

    /** Providers by service, of {@code module-info.java}. */
    private Map<String, List<String>> ofTheModulePath(String module) {
        Map<String, List<String>> found = new TreeMap<>();
        project.sources(module, MAIN + "/java").stream()
                .filter(file -> file.name().equals("module-info.java"))
                .forEach(file -> collect(file.parse().unit(), found));
        return found;
    }

    private static void collect(CompilationUnitTree unit, Map<String, List<String>> found) {
        Map<String, String> imported = new HashMap<>();
        for (ImportTree one : unit.getImports()) {
            String name = one.getQualifiedIdentifier().toString();
            imported.put(name.substring(name.lastIndexOf('.') + 1), name);
        }
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitProvides(ProvidesTree node, Void nothing) {
                found.put(
                        full(node.getServiceName()),
                        node.getImplementationNames().stream()
                                .map(this::full)
                                .sorted()
                                .toList());
                return null;
            }

            private String full(ExpressionTree name) {
                return imported.getOrDefault(name.toString(), name.toString());
            }
        }.scan(unit, null);
    }
}
