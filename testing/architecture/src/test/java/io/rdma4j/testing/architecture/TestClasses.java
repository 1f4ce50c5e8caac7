// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;

/**
 * Checks the names of test classes: a class has tests if and only if its name matches {@code *Test}. Surefire silently
 * skips classes with other names.
 */
final class TestClasses {
    private static final Set<String> MARKS =
            Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate");

    private TestClasses() {}

    /** Returns the violations of the top-level classes in a source of {@code src/test}. */
    static List<String> complaints(SourceFile.Parsed source) {
        List<String> complaints = new ArrayList<>();
        for (ClassTree type : topLevel(source)) {
            boolean named = type.getSimpleName().toString().endsWith("Test");
            if (runs(type) && !named) {
                complaints.add(source.file().path() + ": " + type.getSimpleName()
                        + " has tests that never run: its name must end with Test");
            }
            if (named && !runs(type) && type.getExtendsClause() == null && !isAbstract(type)) {
                complaints.add(source.file().path() + ": " + type.getSimpleName() + " has no tests");
            }
        }
        return complaints;
    }

    /** Full name of the class in the source that Surefire must run, if there is one. */
    static Optional<String> expected(SourceFile.Parsed source) {
        return topLevel(source).stream()
                .filter(type -> type.getSimpleName().toString().endsWith("Test") && !isAbstract(type))
                .map(type -> source.unit().getPackageName() + "." + type.getSimpleName())
                .findFirst();
    }

    private static List<ClassTree> topLevel(SourceFile.Parsed source) {
        return source.unit().getTypeDecls().stream()
                .filter(ClassTree.class::isInstance)
                .map(ClassTree.class::cast)
                .toList();
    }

    /** Names of the test methods of the top-level classes in a source. */
    static Set<String> methods(SourceFile.Parsed source) {
        return topLevel(source).stream()
                .flatMap(type -> type.getMembers().stream())
                .filter(MethodTree.class::isInstance)
                .map(MethodTree.class::cast)
                .filter(TestClasses::isTest)
                .map(method -> method.getName().toString())
                .collect(Collectors.toSet());
    }

    private static boolean isTest(MethodTree method) {
        return method.getModifiers().getAnnotations().stream()
                .anyMatch(annotation ->
                        MARKS.contains(annotation.getAnnotationType().toString()));
    }

    /** An abstract class runs only through its subclasses. */
    private static boolean runs(ClassTree type) {
        return !isAbstract(type) && Boolean.TRUE.equals(new FindsTest().scan(type, null));
    }

    private static boolean isAbstract(ClassTree type) {
        return type.getKind() != Tree.Kind.CLASS
                || type.getModifiers().getFlags().contains(Modifier.ABSTRACT);
    }

    /** True if the class or a nested class has a test method, or a {@code @Nested} class has a superclass. */
    private static final class FindsTest extends TreeScanner<Boolean, Void> {
        @Override
        public Boolean visitClass(ClassTree type, Void unused) {
            boolean inherits = type.getExtendsClause() != null
                    && type.getModifiers().getAnnotations().stream()
                            .anyMatch(annotation ->
                                    annotation.getAnnotationType().toString().equals("Nested"));
            return inherits || Boolean.TRUE.equals(super.visitClass(type, null));
        }

        @Override
        public Boolean visitMethod(MethodTree method, Void unused) {
            return isTest(method);
        }

        @Override
        public Boolean reduce(Boolean one, Boolean other) {
            return Boolean.TRUE.equals(one) || Boolean.TRUE.equals(other);
        }
    }
}
