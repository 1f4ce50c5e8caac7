// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.stress;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Reuses large objects of stress tests, because jcstress creates thousands of state objects. Any thread.
 *
 * @param <T> type of the objects
 */
public final class Recycler<T> {
    private final Queue<T> idle = new ConcurrentLinkedQueue<>();
    private final Supplier<T> maker;

    /** @param maker creates an object if none is idle */
    public Recycler(Supplier<T> maker) {
        this.maker = maker;
    }

    /** Returns an idle or new object. */
    public T take() {
        T found = idle.poll();
        return found == null ? maker.get() : found;
    }

    /** Returns an object, in its initial state, after the arbiter has used it. */
    public void giveBack(T used) {
        idle.add(used);
    }
}
