// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds public setters that only tests call, because no user of a tool can reach their state.
 *
 * <p>A setter is a public method with parameters that returns nothing or its own class ({@code with…}). The list of
 * allowed unused setters can only shrink.
 */
record UnusedMembers(Set<String> allowed) {
    static UnusedMembers parse(String text) {
        Set<String> allowed = new TreeSet<>();
        text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(allowed::add);
        return new UnusedMembers(allowed);
    }

    /** Returns the violations, given the setters without a caller. */
    List<String> complaints(Set<String> unused) {
        List<String> complaints = new ArrayList<>();
        for (String setter : unused) {
            if (!allowed.contains(setter)) {
                complaints.add(setter + " has no caller outside tests: use it, or take it out");
            }
        }
        for (String setter : allowed) {
            if (!unused.contains(setter)) {
                complaints.add(setter + " has a caller, or is gone: take its line out");
            }
        }
        return complaints;
    }

    /**
     * Returns the setters of a part without a caller, such as {@code net.NetDevice.setMtu(int)}; the prefix {@code
     * io.rdma4j} is omitted.
     *
     * @param part classes whose setters are checked
     * @param callers classes whose calls count
     */
    static Set<String> of(JavaClasses part, JavaClasses callers) {
        Set<String> called = new HashSet<>();
        for (JavaClass caller : callers) {
            for (JavaCodeUnitAccess<?> access : caller.getCodeUnitAccessesFromSelf()) {
                called.add(access.getTargetOwner().getName() + "."
                        + access.getTarget().getName()
                        + access.getTarget().getRawParameterTypes().stream()
                                .map(JavaClass::getName)
                                .toList());
            }
        }
        Set<String> unused = new TreeSet<>();
        for (JavaClass type : part) {
            for (JavaMethod method : type.getMethods()) {
                if (isSetter(method) && !isCalled(method, called)) {
                    unused.add(name(method));
                }
            }
        }
        return unused;
    }

    private static boolean isSetter(JavaMethod method) {
        JavaClass owner = method.getOwner();
        boolean isVisible = method.getModifiers().contains(JavaModifier.PUBLIC)
                && owner.getModifiers().contains(JavaModifier.PUBLIC)
                && !method.getModifiers().contains(JavaModifier.SYNTHETIC)
                && !method.getModifiers().contains(JavaModifier.STATIC);
        JavaClass result = method.getRawReturnType();
        return isVisible
                && method.getRawParameterTypes().size() > 0
                && (result.getName().equals("void") || result.equals(owner));
    }

    /** A call through a superclass, interface or subclass of the owner counts too. */
    private static boolean isCalled(JavaMethod method, Set<String> called) {
        String signature = "." + method.getName()
                + method.getRawParameterTypes().stream().map(JavaClass::getName).toList();
        JavaClass owner = method.getOwner();
        List<JavaClass> family = new ArrayList<>(owner.getAllRawSuperclasses());
        family.addAll(owner.getAllRawInterfaces());
        family.addAll(owner.getAllSubclasses());
        family.add(owner);
        return family.stream().anyMatch(type -> called.contains(type.getName() + signature));
    }

    private static String name(JavaMethod method) {
        String parameters = String.join(
                ", ",
                method.getRawParameterTypes().stream()
                        .map(JavaClass::getSimpleName)
                        .toList());
        return method.getOwner().getName().replaceFirst("^io\\.rdma4j\\.", "") + "." + method.getName() + "("
                + parameters + ")";
    }
}
