package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.rdma4j.testing.ledger.Covers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The project keeps its walls. */
class HouseTest {
    private static final List<String> NOT_SHIPPED = List.of("bench", "examples");

    private final Project project = Project.here();

    @Test
    void theWallsStand() {
        JavaClasses product = classes(project.modulesWithCode().stream()
                .filter(module -> !module.startsWith("testing/") && !NOT_SHIPPED.contains(module))
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
                .allSatisfy(module -> assertThat(project.classes(module).resolve(witness(module)))
                        .isRegularFile());
    }

    /** A class that every module of the house has; the examples are none, because most users' programs are not. */
    private static String witness(String module) {
        return module.equals("examples") ? "io/rdma4j/examples/package-info.class" : "module-info.class";
    }

    /** No stress finds a missing order on a machine that keeps its stores in order, as x86 does: so it is looked for in the code. */
    @Test
    @Covers("RXE-57")
    void ringsPublishTheirIndexesWithReleaseAndReadTheOthersWithAcquireOrder() {
        JavaClass ring = classes(List.of("verbs")).get("io.rdma4j.verbs.queue.Ring");
        assertThat(accesses(ring, "acquireProducer")).containsExactly("getAcquire");
        assertThat(accesses(ring, "acquireConsumer")).containsExactly("getAcquire");
        assertThat(accesses(ring, "publishProducer")).containsExactly("setRelease");
        assertThat(accesses(ring, "publishConsumer")).containsExactly("setRelease");
        assertThat(accesses(ring, "publishProducerFully")).containsExactly("setVolatile");
    }

    /** How a method of this name accesses memory. */
    private static List<String> accesses(JavaClass type, String method) {
        return type.getMethodCallsFromSelf().stream()
                .filter(call -> call.getOrigin().getName().equals(method))
                .map(JavaAccess::getName)
                .toList();
    }

    private JavaClasses classes(List<String> modules) {
        return new ClassFileImporter()
                .importPaths(modules.stream().map(project::classes).toArray(Path[]::new));
    }
}
