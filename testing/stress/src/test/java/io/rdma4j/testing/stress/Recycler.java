package io.rdma4j.testing.stress;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * States of a stress test are made and forgotten by the thousand; what is too large for that is used again. Any thread.
 *
 * @param <T> what is large
 */
public final class Recycler<T> {
    private final Queue<T> idle = new ConcurrentLinkedQueue<>();
    private final Supplier<T> maker;

    /** @param maker makes one if none is idle */
    public Recycler(Supplier<T> maker) {
        this.maker = maker;
    }

    /** One that nobody uses. */
    public T take() {
        T found = idle.poll();
        return found == null ? maker.get() : found;
    }

    /** The arbiter is through with it, and has left it as it was. */
    public void giveBack(T used) {
        idle.add(used);
    }
}
