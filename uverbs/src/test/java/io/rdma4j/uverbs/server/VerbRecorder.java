// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.spi.DeviceOps;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the verbs core and a provider, and records which methods of the provider's interfaces succeed. A
 * method is named as in {@code PdOps.createQp}.
 */
final class VerbRecorder {
    private static final String SPI = DeviceOps.class.getPackageName();

    /** Methods that were called and have not failed. */
    final Set<String> executed = new ConcurrentSkipListSet<>();

    /** Methods of the interfaces that the provider's objects implement themselves, as far as objects were seen. */
    final Set<String> implemented = new ConcurrentSkipListSet<>();

    DeviceOps device(DeviceOps real) {
        return wrap(DeviceOps.class, real);
    }

    private <T> T wrap(Class<T> type, Object real) {
        for (Method method : type.getMethods()) {
            if (isImplemented(method, real.getClass())) {
                implemented.add(name(type, method));
            }
        }
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Recorded(type, real)));
    }

    /** False for the method of the interface, which refuses. */
    private static boolean isImplemented(Method method, Class<?> type) {
        try {
            return !type.getMethod(method.getName(), method.getParameterTypes())
                    .getDeclaringClass()
                    .isInterface();
        } catch (NoSuchMethodException e) {
            throw new AssertionError(method + " of " + type, e);
        }
    }

    private static String name(Class<?> type, Method method) {
        return type.getSimpleName() + "." + method.getName();
    }

    private final class Recorded implements InvocationHandler {
        private final Class<?> type;
        private final Object real;

        Recorded(Class<?> type, Object real) {
            this.type = type;
            this.real = real;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            if (method.getDeclaringClass() == Object.class && method.getName().equals("equals")) {
                return real.equals(unwrap(arguments == null ? null : arguments[0]));
            }
            Object result;
            try {
                method.setAccessible(true);
                result = method.invoke(
                        real,
                        arguments == null
                                ? null
                                : Arrays.stream(arguments)
                                        .map(VerbRecorder::unwrap)
                                        .toArray());
            } catch (InvocationTargetException e) {
                throw e.getTargetException();
            }
            if (method.getDeclaringClass() != Object.class) {
                executed.add(name(type, method));
            }
            Class<?> returned = method.getReturnType();
            return result != null && isOps(returned) ? wrap(returned, result) : result;
        }
    }

    private static boolean isOps(Class<?> type) {
        return type.isInterface()
                && type.getPackageName().equals(SPI)
                && type.getSimpleName().endsWith("Ops");
    }

    /** The provider's own objects instead of the recorded ones, also inside lists and records. */
    private static @Nullable Object unwrap(@Nullable Object argument) {
        if (argument != null
                && Proxy.isProxyClass(argument.getClass())
                && Proxy.getInvocationHandler(argument) instanceof Recorded recorded) {
            return recorded.real;
        }
        if (argument instanceof Collection<?> all && all.stream().anyMatch(one -> Proxy.isProxyClass(one.getClass()))) {
            return all.stream().map(VerbRecorder::unwrap).toList();
        }
        return argument instanceof Record values
                        && values.getClass().getPackageName().equals(SPI)
                ? unwrapped(values)
                : argument;
    }

    private static Object unwrapped(Record values) {
        RecordComponent[] components = values.getClass().getRecordComponents();
        try {
            @Nullable Object[] plain = new @Nullable Object[components.length];
            for (int i = 0; i < plain.length; i++) {
                plain[i] = unwrap(components[i].getAccessor().invoke(values));
            }
            return values.getClass()
                    .getConstructor(Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new))
                    .newInstance(plain);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(values.toString(), e);
        }
    }
}
