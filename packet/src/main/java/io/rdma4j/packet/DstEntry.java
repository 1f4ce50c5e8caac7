package io.rdma4j.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where a packet goes next, and how many refer to that ({@code struct dst_entry}): what a route lookup yields. Routing derives
 * its entries from this; a buffer only counts the references it took.
 *
 * <p>Starts with one reference, that of the table it stands in. When the last one is given back, {@link #onUnused} runs.
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

    /** One reference, the maker's. */
    protected DstEntry() {}

    /** {@return how many refer to it ({@code __refcnt})} */
    public final int references() {
        return references;
    }

    /**
     * Takes a reference ({@code dst_hold}); any thread that has one already, or whose table has.
     *
     * @throws IllegalStateException if the last one was given back
     */
    public final void hold() {
        if ((int) REFERENCES.getAndAdd(this, 1) <= 0) {
            REFERENCES.getAndAdd(this, -1);
            throw new IllegalStateException("hold of a route that nobody refers to any more");
        }
    }

    /**
     * Gives a reference back ({@code dst_release}); any thread.
     *
     * @throws IllegalStateException if there was none
     */
    public final void release() {
        int before = (int) REFERENCES.getAndAdd(this, -1);
        if (before <= 0) {
            REFERENCES.getAndAdd(this, 1);
            throw new IllegalStateException("release of a route that nobody refers to");
        }
        if (before == 1) {
            onUnused();
        }
    }

    /** Nobody refers to it any more; runs on the thread that gave the last reference back. */
    protected void onUnused() {}
}
