// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.linux.call.NativeAccess;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs each test of a class on a thread with a network namespace of its own, in which only the loopback interface is
 * up. Sockets that the thread opens and processes that it starts are in this namespace. The kernel deletes it with the
 * last of them, however the test ends. Without permission to create a namespace, the tests are skipped with a message.
 */
final class OwnNamespace implements InvocationInterceptor, ExecutionCondition {
    private static final int CLONE_NEWNET = 0x4000_0000;

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (!NativeAccess.isThere()) {
            return ConditionEvaluationResult.disabled("this is no Linux, or the JVM may not call it");
        }
        AtomicReference<Integer> result = new AtomicReference<>();
        join(Thread.ofPlatform().start(() -> result.set(unshare())));
        if (result.get() != 0) {
            return ConditionEvaluationResult.disabled("no network namespace can be made here: needs root");
        }
        return Shell.attempt("ip -V").exit() == 0
                ? ConditionEvaluationResult.enabled("root on Linux")
                : ConditionEvaluationResult.disabled("ip(8) is not there: it comes with the package iproute2");
    }

    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = Thread.ofPlatform()
                .name("namespace of " + context.getDisplayName())
                .start(() -> {
                    try {
                        if (unshare() != 0) {
                            throw new AssertionError("no namespace");
                        }
                        Shell.ip("link set lo up");
                        invocation.proceed();
                    } catch (Throwable e) {
                        failure.set(e);
                    }
                });
        join(thread);
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Moves the calling thread to a new namespace; returns 0 on success. */
    @SuppressWarnings("restricted") // as in Libc
    private static int unshare() {
        Linker linker = Linker.nativeLinker();
        MethodHandle unshare = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("unshare"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        try {
            return (int) unshare.invokeExact(CLONE_NEWNET);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
