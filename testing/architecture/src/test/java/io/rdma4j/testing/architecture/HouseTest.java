package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The project keeps its walls. */
class HouseTest {
    private final Project project = Project.here();

    @Test
    void theWallsStand() {
        JavaClasses product = classes(project.modulesWithCode().stream()
                .filter(module -> !module.startsWith("testing/"))
                .toList());
        assertThat(Walls.ofTheProduct()).allSatisfy(rule -> rule.check(product));
    }

    @Test
    void packagesOfAModuleFormLayers() {
        assertThat(project.modulesWithCode())
                .allSatisfy(module -> Walls.NO_PACKAGE_CYCLES.check(classes(List.of(module))));
    }

    @Test
    void theClassesOfEveryModuleAreThere() {
        assertThat(project.modulesWithCode())
                .allSatisfy(module -> assertThat(project.classes(module).resolve("module-info.class"))
                        .isRegularFile());
    }

    private JavaClasses classes(List<String> modules) {
        return new ClassFileImporter()
                .importPaths(modules.stream().map(project::classes).toArray(Path[]::new));
    }
}
