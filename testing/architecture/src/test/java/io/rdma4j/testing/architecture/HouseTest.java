// SPDX-License-Identifier: Apache-2.0
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

/** The project complies with the dependency rules of {@link Walls}. */
class HouseTest {
    private static final List<String> NOT_SHIPPED = List.of("bench", "devtools", "examples");

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

    /**
     * A class file that every compiled module has. The examples have no module-info, because most applications have
     * none.
     */
    private static String witness(String module) {
        return module.equals("examples") ? "io/rdma4j/examples/package-info.class" : "module-info.class";
    }

    /** Checked in the code, because on x86, which keeps stores in order, no stress test detects a missing order. */
    @Test
    @Covers("RXE-57")
    void ringsPublishTheirIndexesWithReleaseAndReadTheOthersWithAcquireOrder() {
        JavaClass ring = classes(List.of("verbs")).get("io.rdma4j.verbs.spi.ring.Ring");
        assertThat(accesses(ring, "acquireProducer")).containsExactly("getAcquire");
        assertThat(accesses(ring, "acquireConsumer")).containsExactly("getAcquire");
        assertThat(accesses(ring, "publishProducer")).containsExactly("setRelease");
        assertThat(accesses(ring, "publishConsumer")).containsExactly("setRelease");
        assertThat(accesses(ring, "publishProducerFully")).containsExactly("setVolatile");
    }

    /** Names of the methods that this method calls. */
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
