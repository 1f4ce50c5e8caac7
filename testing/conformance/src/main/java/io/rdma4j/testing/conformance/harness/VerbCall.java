// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A verb to be called with an object and arguments.
 *
 * @param method of a class of the API
 */
public record VerbCall(Method method) {
    /** Returns the public methods of a class of the API, except those of {@code Object}, and {@code close}. */
    public static List<VerbCall> of(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
                .filter(method -> !method.getName().equals("toString")
                        && !method.getName().equals("close"))
                .sorted(Comparator.comparing(Method::toString))
                .map(VerbCall::new)
                .toList();
    }

    public int parameters() {
        return method.getParameterCount();
    }

    public Class<?> parameter(int index) {
        return method.getParameterTypes()[index];
    }

    /** True if a parameter has one of these types. */
    public boolean takesOneOf(List<Class<?>> types) {
        return Arrays.stream(method.getParameterTypes()).anyMatch(types::contains);
    }

    /** Calls the verb; returns its exception, or null if it returns. */
    @Nullable
    public Throwable outcome(Object target, @Nullable Object[] arguments) {
        try {
            method.invoke(target, arguments);
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (IllegalAccessException e) {
            throw new AssertionError(toString(), e);
        }
    }

    /** Format: {@code registerMemory(MemorySegment, Set)}. */
    public String text() {
        return method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    @Override
    public String toString() {
        return method.getDeclaringClass().getSimpleName() + "." + text();
    }
}
