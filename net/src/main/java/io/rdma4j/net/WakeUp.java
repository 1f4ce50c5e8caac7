// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread sleep until another thread calls {@link #call}, for links without a file descriptor. Allocates
 * nothing.
 */
public final class WakeUp {
    private volatile boolean called;
    private volatile @Nullable Thread sleeper;

    /** Creates it without a pending call. */
    public WakeUp() {}

    /**
     * Blocks until {@link #call} is called or the time is over. Returns at once if it was called since the last return.
     * It may return early.
     *
     * @param timeoutNs maximum time, nanoseconds
     */
    public void await(long timeoutNs) {
        sleeper = Thread.currentThread();
        if (!called) {
            LockSupport.parkNanos(this, timeoutNs);
        }
        sleeper = null;
        // The read makes the caller's earlier writes visible; a call after it counts for the next sleep.
        if (called) {
            called = false;
        }
    }

    /** Wakes the sleeping thread. Any thread may call it. */
    public void call() {
        called = true;
        Thread thread = sleeper;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }
}
