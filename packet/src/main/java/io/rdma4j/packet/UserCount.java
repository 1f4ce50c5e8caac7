// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The number of references to a descriptor ({@code skb->users}); 0 while the descriptor is free.
 *
 * <p>If the pool records sites, it also knows where the buffer was allocated or, once it is free, where it was freed.
 */
final class UserCount {
    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(UserCount.class, "count", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through COUNT
    private volatile int count;

    /** The site of the allocation or of the last {@code free}; null unless the pool records sites. */
    private @Nullable BufferSite site;

    int count() {
        return (int) COUNT.getAcquire(this);
    }

    boolean isLive() {
        return count() > 0;
    }

    /** Returns the message of the assertion that a buffer is live. */
    Object usedAfterFree() {
        BufferSite freed = site;
        return freed == null ? "use after free" : freed;
    }

    /** Records the site of the allocation; {@link #end} then records its own site. */
    void rememberSite() {
        site = new BufferSite("allocated");
    }

    @Nullable
    BufferSite site() {
        return site;
    }

    /** Makes the descriptor live, with one reference. */
    void start() {
        COUNT.setRelease(this, 1);
    }

    void add() {
        if (!isLive()) {
            throw new IllegalStateException("get of a free buffer");
        }
        COUNT.getAndAdd(this, 1);
    }

    /** Releases one of several references. Returns false, with nothing changed, if the caller holds the only one. */
    boolean dropShared() {
        int holders = count();
        while (holders > 1) {
            if (COUNT.compareAndSet(this, holders, holders - 1)) {
                return true;
            }
            holders = count();
        }
        if (holders <= 0) {
            throw new IllegalStateException("double free", site);
        }
        return false;
    }

    /** Releases the only reference. */
    void end() {
        if (site != null) {
            site = new BufferSite("freed");
        }
        COUNT.set(this, 0);
    }
}
