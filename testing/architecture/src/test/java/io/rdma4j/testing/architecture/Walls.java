// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Set;

/** The dependency rules that {@code module-info.java} cannot express. */
final class Walls {
    private static final String[] ENGINES = {
        "..rdma4j..transport..",
        "..rdma4j..fabric..",
        "..rdma4j..sm..",
        "..rdma4j..cm..",
        "io.rdma4j.mad",
        "io.rdma4j.mad.rmpp",
        "io.rdma4j.mad.umad"
    };
    private static final String WIRE = "..rdma4j..wire..";
    private static final Set<String> THREAD_STARTERS = Set.of(
            "io.rdma4j.ib.umad2sim.Umad2SimServer",
            "io.rdma4j.ib.umad2sim.SimulatorManager",
            "io.rdma4j.loop.LoopThread",
            "io.rdma4j.mad.gsi.GsiThread",
            "io.rdma4j.rdmacm.host.HostTasks",
            "io.rdma4j.rxe.AddressWatch",
            "io.rdma4j.uverbs.abi.Worker");
    private static final String[] NATIVE = {
        "..rdma4j.linux..", "..rdma4j.dropin..", "..ibverbs..", "..rdma4j.bench.count.trace.."
    };

    private Walls() {}

    /** The engines receive the time as a parameter. */
    static final ArchRule NO_CLOCK_IN_AN_ENGINE = noClasses()
            .that()
            .resideInAnyPackage(ENGINES)
            .should()
            .accessTargetWhere(calls(System.class.getName(), "nanoTime", "currentTimeMillis"))
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage("java.time")
            .allowEmptyShould(true);

    /** The engines have no threads and never block. */
    static final ArchRule NO_THREAD_IN_AN_ENGINE = noClasses()
            .that()
            .resideInAnyPackage(ENGINES)
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(Thread.class)
            .allowEmptyShould(true);

    /** The engines receive and send packets as buffers. */
    static final ArchRule NO_SOCKET_IN_AN_ENGINE = noClasses()
            .that()
            .resideInAnyPackage(ENGINES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.net", "java.nio.channels..")
            .allowEmptyShould(true);

    /** The caller supplies the seed, so that a failing simulation can be repeated. */
    static final ArchRule NO_UNSEEDED_RANDOMNESS_IN_AN_ENGINE = noClasses()
            .that()
            .resideInAnyPackage(ENGINES)
            .should()
            .accessTargetWhere(describe("unseeded randomness", Walls::isUnseeded))
            .allowEmptyShould(true);

    /** Codecs have no state. */
    static final ArchRule NO_MUTABLE_STATIC_IN_WIRE = noFields()
            .that()
            .areDeclaredInClassesThat()
            .resideInAPackage(WIRE)
            .and(describe("are not the compiler's", field -> !field.getName().startsWith("$")))
            .should(be(describe("mutable and static", Walls::isMutableStatic)))
            .allowEmptyShould(true);

    /** Only these packages make native calls, so that all others work without them. */
    static final ArchRule NATIVE_CALLS_IN_ONE_PLACE = noClasses()
            .that()
            .resideOutsideOfPackages(NATIVE)
            .should()
            .dependOnClassesThat(type(Linker.class).or(type(SymbolLookup.class)));

    /**
     * Only the loop thread, the driver of a port's management datagrams, the tasks of rdma_cm that block, the watch of
     * addresses, the workers of other processes' connections, and tools start threads.
     */
    static final ArchRule THREADS_START_IN_ONE_PLACE = noClasses()
            .that(DescribedPredicate.not(resideInAnyPackage("io.rdma4j.tools..")))
            .and(describe(
                    "are not the loop's watcher, the watch of addresses nor a connection's worker",
                    type -> !THREAD_STARTERS.contains(outermost(type).getName())))
            .should()
            .accessTargetWhere(describe("a start of a thread", Walls::startsThread));

    /** No class calls sleep: a wait is a deadline, a wake-up or an event. */
    static final ArchRule NO_SLEEP = noClasses().should().accessTargetWhere(calls(Thread.class.getName(), "sleep"));

    /**
     * The packages of a module form layers. Applied to the classes of one module, which may have none.
     */
    static final ArchRule NO_PACKAGE_CYCLES = SlicesRuleDefinition.slices()
            .assignedFrom(new EachPackage())
            .should()
            .beFreeOfCycles()
            .allowEmptyShould(true);

    /** The rules for product modules; test modules are exempt. */
    static List<ArchRule> ofTheProduct() {
        return List.of(
                NO_CLOCK_IN_AN_ENGINE,
                NO_THREAD_IN_AN_ENGINE,
                NO_SOCKET_IN_AN_ENGINE,
                NO_UNSEEDED_RANDOMNESS_IN_AN_ENGINE,
                NO_MUTABLE_STATIC_IN_WIRE,
                NATIVE_CALLS_IN_ONE_PLACE,
                THREADS_START_IN_ONE_PLACE,
                NO_SLEEP);
    }

    private static DescribedPredicate<JavaAccess<?>> calls(String owner, String... methods) {
        return describe(
                owner + "." + String.join("|", methods),
                access -> access.getTargetOwner().getName().equals(owner)
                        && Set.of(methods).contains(access.getName()));
    }

    private static boolean isUnseeded(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        return switch (owner) {
            case "java.util.concurrent.ThreadLocalRandom", "java.security.SecureRandom" -> true;
            case "java.lang.Math", "java.lang.StrictMath" -> access.getName().equals("random");
            case "java.util.UUID" -> access.getName().equals("randomUUID");
            case "java.util.Random", "java.util.SplittableRandom" ->
                access.getTarget().getFullName().endsWith("<init>()");
            default -> false;
        };
    }

    private static boolean isMutableStatic(JavaField field) {
        if (!field.getModifiers().contains(JavaModifier.STATIC)) {
            return false;
        }
        JavaClass type = field.getRawType();
        return !field.getModifiers().contains(JavaModifier.FINAL)
                || (type.isArray() && !field.getModifiers().contains(JavaModifier.PRIVATE))
                || type.isAssignableTo(MemorySegment.class)
                || type.isAssignableTo(ThreadLocal.class)
                || type.getPackageName().startsWith("java.util.concurrent");
    }

    private static boolean startsThread(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        return switch (owner.getName()) {
            case "java.util.concurrent.Executors", "java.util.concurrent.ForkJoinPool", "java.util.Timer" -> true;
            case "java.util.concurrent.CompletableFuture" -> access.getName().endsWith("Async");
            default ->
                Set.of("start", "startVirtualThread", "factory").contains(access.getName())
                        && (owner.isAssignableTo(Thread.class) || owner.isAssignableTo(Thread.Builder.class));
        };
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(Walls::outermost).orElse(type);
    }

    private static final class EachPackage implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }
}
