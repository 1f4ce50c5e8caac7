package io.rdma4j.tools.peer;

import java.util.ArrayDeque;
import java.util.Deque;

/** Objects that must be closed, the last made first. Belongs to one thread. */
public final class Closers implements AutoCloseable {
    private final Deque<Runnable> closers = new ArrayDeque<>();

    /** Nothing to close yet. */
    public Closers() {}

    /** Closes what is there when one more object is made: that one goes first. */
    public void push(Runnable closer) {
        closers.push(closer);
    }

    /** Closes all. Idempotent. */
    @Override
    public void close() {
        while (!closers.isEmpty()) {
            closers.pop().run();
        }
    }
}
