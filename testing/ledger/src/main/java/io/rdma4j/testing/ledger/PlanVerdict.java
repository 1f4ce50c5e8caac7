// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Determines which claims of a finished run count.
 *
 * <p>A node of the test tree makes a claim. The claim counts if everything below the node passed and at least one test
 * ran. A failed, aborted, skipped or unfinished test, and an empty class, prove nothing.
 */
final class PlanVerdict {
    private final TestPlan plan;
    private final Map<TestIdentifier, TestExecutionResult.Status> results;
    private final Ground moduleGround;

    /**
     * @param results of the nodes that finished; skipped ones have none
     * @param moduleGround of tests without {@link ProvedOn}
     */
    PlanVerdict(TestPlan plan, Map<TestIdentifier, TestExecutionResult.Status> results, Ground moduleGround) {
        this.plan = plan;
        this.results = results;
        this.moduleGround = moduleGround;
    }

    /** Returns the proofs of a node and those below it: row id to tests, ordered by name. */
    SortedMap<String, Set<Proof>> proved(TestIdentifier node) {
        SortedMap<String, Set<Proof>> proved = new TreeMap<>();
        collect(node, proved);
        return proved;
    }

    private void collect(TestIdentifier node, SortedMap<String, Set<Proof>> proved) {
        List<String> claims = claims(node);
        if (!claims.isEmpty() && passed(node)) {
            Proof proof = new Proof(ground(node), name(node));
            claims.forEach(
                    id -> proved.computeIfAbsent(id, _ -> new TreeSet<>()).add(proof));
        }
        plan.getChildren(node).forEach(child -> collect(child, proved));
    }

    private boolean passed(TestIdentifier node) {
        if (results.get(node) != TestExecutionResult.Status.SUCCESSFUL) {
            return false;
        }
        Set<TestIdentifier> children = plan.getChildren(node);
        return children.isEmpty() ? node.isTest() : children.stream().allMatch(this::passed);
    }

    private static List<String> claims(TestIdentifier node) {
        return switch (node.getSource().orElse(null)) {
            case ClassSource source ->
                withSuperclasses(source.getJavaClass())
                        .flatMap(type -> ids(type.getAnnotation(Covers.class)))
                        .toList();
            // An invocation of a parameterized test has the same source as its method, whose node makes the claim.
            case MethodSource source
            when !isInvocation(node) ->
                ids(source.getJavaMethod().getAnnotation(Covers.class)).toList();
            case null, default -> List.of();
        };
    }

    /** Ground of the node, or of the nearest ancestor that names one. */
    private Ground ground(TestIdentifier node) {
        String named = null;
        for (TestIdentifier at = node;
                at != null && named == null;
                at = plan.getParent(at).orElse(null)) {
            named = switch (at.getSource().orElse(null)) {
                case MethodSource source -> ground(source.getJavaMethod());
                case ClassSource source ->
                    withSuperclasses(source.getJavaClass())
                            .map(PlanVerdict::ground)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElse(null);
                case null, default -> null;
            };
        }
        return named == null ? moduleGround : Ground.parse(named);
    }

    private static @Nullable String ground(AnnotatedElement element) {
        ProvedOn on = element.getAnnotation(ProvedOn.class);
        return on == null ? null : on.value();
    }

    private static boolean isInvocation(TestIdentifier node) {
        String last = node.getUniqueIdObject().getLastSegment().getType();
        return last.equals("test-template-invocation")
                || last.equals("dynamic-test")
                || last.equals("dynamic-container");
    }

    /** A class that extends a kit class makes the claims of the kit class. */
    private static Stream<Class<?>> withSuperclasses(Class<?> type) {
        return Stream.<Class<?>>iterate(type, c -> c != null, c -> c.getSuperclass());
    }

    private static Stream<String> ids(@Nullable Covers covers) {
        return covers == null ? Stream.empty() : Arrays.stream(covers.value());
    }

    private static String name(TestIdentifier node) {
        return switch (node.getSource().orElseThrow()) {
            case MethodSource source -> source.getClassName() + "." + source.getMethodName();
            case ClassSource source -> source.getClassName();
            case Object other -> other.toString();
        };
    }
}
