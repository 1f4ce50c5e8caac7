// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes objects in reverse order of their creation. One thread. */
public final class Closers implements AutoCloseable {
    private record Closer(String failure, Runnable action) {}

    private final Deque<Closer> closers = new ArrayDeque<>();

    /** Creates an empty list. */
    public Closers() {}

    /**
     * Adds an object, which is closed before those added earlier.
     *
     * @param failure message to the user if the object cannot be closed
     * @param action closes the object
     */
    public void push(String failure, Runnable action) {
        closers.push(new Closer(failure, action));
    }

    /**
     * Closes all. Idempotent.
     *
     * @throws ToolFailure if an object cannot be closed: it and those added before it stay open until the next call
     */
    @Override
    public void close() throws ToolFailure {
        while (!closers.isEmpty()) {
            Closer next = closers.element();
            Attempt.run(next.failure(), next.action());
            closers.remove();
        }
    }

    /** Closes all after a failure; errors of closing do not replace the failure. */
    public void closeAfter(Exception failure) {
        try {
            close();
        } catch (ToolFailure e) {
            failure.addSuppressed(e);
        }
    }
}
