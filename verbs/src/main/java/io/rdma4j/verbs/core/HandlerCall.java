// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.core;

/**
 * Marks the calls of handlers of the application. They run on a thread of the device, for which other threads may wait,
 * so the calling thread must not wait for the application's threads.
 */
public final class HandlerCall {
    private static final ScopedValue<Boolean> RUNNING = ScopedValue.newInstance();

    private HandlerCall() {}

    /**
     * Runs a handler.
     *
     * @param handler calls the application
     */
    public static void run(Runnable handler) {
        ScopedValue.where(RUNNING, true).run(handler);
    }

    /** {@return true if the calling thread runs a handler} */
    public static boolean isRunning() {
        return RUNNING.isBound();
    }
}
