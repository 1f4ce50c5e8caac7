package io.rdma4j.net;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Lets one thread sleep until another one calls it, for links that no kernel watches. Allocates nothing. */
public final class WakeUp {
    private volatile boolean called;
    private volatile @Nullable Thread sleeper;

    /** Nobody has called yet. */
    public WakeUp() {}

    /**
     * Returns at a call, at once if there was one since the last return, or when the time is up; may return early.
     *
     * @param timeoutNs how long at most, nanoseconds
     */
    public void await(long timeoutNs) {
        sleeper = Thread.currentThread();
        if (!called) {
            LockSupport.parkNanos(this, timeoutNs);
        }
        sleeper = null;
        // Seen, and with it what the caller did before; a call that comes now counts for the next sleep.
        if (called) {
            called = false;
        }
    }

    /** Wakes the sleeper; any thread may call. */
    public void call() {
        called = true;
        Thread thread = sleeper;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }
}
