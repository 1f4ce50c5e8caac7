package io.rdma4j.tools.peer;

import java.util.ArrayDeque;
import java.util.Deque;

/** Objects that must be closed, the last made first. Belongs to one thread. */
public final class Closers implements AutoCloseable {
    private record Closer(String failure, Runnable action) {}

    private final Deque<Closer> closers = new ArrayDeque<>();

    /** Nothing to close yet. */
    public Closers() {}

    /**
     * Closes what is there when one more object is made: that one goes first.
     *
     * @param failure what the user reads if the object cannot be closed
     * @param action closes the object
     */
    public void push(String failure, Runnable action) {
        closers.push(new Closer(failure, action));
    }

    /**
     * Closes all. Idempotent.
     *
     * @throws ToolFailure if an object cannot be closed: that one and those made before it stay open until the next call
     */
    @Override
    public void close() throws ToolFailure {
        while (!closers.isEmpty()) {
            Closer next = closers.element();
            Attempt.run(next.failure(), next.action());
            closers.remove();
        }
    }

    /** Closes all after a failure, which stays the one that the user reads. */
    public void closeAfter(Exception failure) {
        try {
            close();
        } catch (ToolFailure e) {
            failure.addSuppressed(e);
        }
    }
}
