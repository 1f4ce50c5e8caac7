// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.rdma4j.testing.ledger.Covers;
import java.lang.invoke.VarHandle;
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
        JavaClasses verbs = classes(List.of("verbs"));
        JavaClass ring = verbs.get("io.rdma4j.verbs.spi.ring.Ring");
        JavaClass memory = verbs.get("io.rdma4j.verbs.spi.ring.RingMemory");
        assertThat(calls(ring, "acquireProducer", memory.getName())).containsExactly("indexAcquire");
        assertThat(calls(ring, "acquireConsumer", memory.getName())).containsExactly("indexAcquire");
        assertThat(calls(ring, "publishProducer", memory.getName())).containsExactly("indexRelease");
        assertThat(calls(ring, "publishConsumer", memory.getName())).containsExactly("indexRelease");
        assertThat(calls(ring, "publishProducerFully", memory.getName())).containsExactly("indexVolatile");

        String handle = VarHandle.class.getName();
        // One for the heap, one for native memory.
        assertThat(calls(memory, "indexAcquire", handle)).containsExactly("getAcquire", "getAcquire");
        assertThat(calls(memory, "indexRelease", handle)).containsExactly("setRelease", "setRelease");
        assertThat(calls(memory, "indexVolatile", handle))
                .containsExactlyInAnyOrder("getVolatile", "getVolatile", "setVolatile", "setVolatile");
    }

    /** Names of the owner's methods that methods of this name call. */
    private static List<String> calls(JavaClass type, String method, String owner) {
        return type.getMethodCallsFromSelf().stream()
                .filter(call -> call.getOrigin().getName().equals(method)
                        && call.getTargetOwner().getName().equals(owner))
                .map(JavaAccess::getName)
                .toList();
    }

    private JavaClasses classes(List<String> modules) {
        return new ClassFileImporter()
                .importPaths(modules.stream().map(project::classes).toArray(Path[]::new));
    }
}
