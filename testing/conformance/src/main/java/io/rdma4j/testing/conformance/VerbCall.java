package io.rdma4j.testing.conformance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A verb to be called on some object with some arguments.
 *
 * @param method of a class of the API
 */
record VerbCall(Method method) {
    /** The public methods that a class of the API has besides those of every object, and {@code close}. */
    static List<VerbCall> of(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
                .filter(method -> !method.getName().equals("toString")
                        && !method.getName().equals("close"))
                .sorted(Comparator.comparing(Method::toString))
                .map(VerbCall::new)
                .toList();
    }

    int parameters() {
        return method.getParameterCount();
    }

    Class<?> parameter(int index) {
        return method.getParameterTypes()[index];
    }

    /** True if a parameter is of one of these types. */
    boolean takesOneOf(List<Class<?>> types) {
        return Arrays.stream(method.getParameterTypes()).anyMatch(types::contains);
    }

    /** What comes of it: an exception, or null if it returns. */
    @Nullable
    Throwable outcome(Object target, @Nullable Object[] arguments) {
        try {
            method.invoke(target, arguments);
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (IllegalAccessException e) {
            throw new AssertionError(toString(), e);
        }
    }

    /** {@code registerMemory(MemorySegment, Set)}. */
    String text() {
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
