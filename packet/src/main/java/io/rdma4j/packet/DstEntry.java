// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The result of a route lookup with its reference count ({@code struct dst_entry}). Routing subclasses it; a buffer
 * only counts the references that it took.
 *
 * <p>A new entry has one reference, which belongs to the routing table. {@link #onUnused} runs when the last reference
 * is released.
 */
public abstract class DstEntry {
    private static final VarHandle REFERENCES;

    static {
        try {
            REFERENCES = MethodHandles.lookup().findVarHandle(DstEntry.class, "references", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through REFERENCES
    private volatile int references = 1;

    /** Creates an entry with one reference, which belongs to the caller. */
    protected DstEntry() {}

    /** {@return the number of references ({@code __refcnt})} */
    public final int references() {
        return references;
    }

    /**
     * Takes a reference ({@code dst_hold}). The calling thread or its table must hold a reference already; any thread.
     *
     * @throws IllegalStateException if the last reference was released before
     */
    public final void hold() {
        if ((int) REFERENCES.getAndAdd(this, 1) <= 0) {
            REFERENCES.getAndAdd(this, -1);
            throw new IllegalStateException("hold of a route without references");
        }
    }

    /**
     * Releases a reference ({@code dst_release}); any thread.
     *
     * @throws IllegalStateException if there is no reference
     */
    public final void release() {
        int before = (int) REFERENCES.getAndAdd(this, -1);
        if (before <= 0) {
            REFERENCES.getAndAdd(this, 1);
            throw new IllegalStateException("release of a route without references");
        }
        if (before == 1) {
            onUnused();
        }
    }

    /** Called when the last reference is released, on the thread that released it. */
    protected void onUnused() {}
}
