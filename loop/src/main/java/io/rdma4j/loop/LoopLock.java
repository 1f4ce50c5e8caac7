// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.SpinLock;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The lock of a loop. The thread that holds it is the owner of the loop. Any thread; not reentrant. */
final class LoopLock {
    private final SpinLock lock = new SpinLock();

    /**
     * The thread that holds the lock. Other threads may read a stale value, but each thread compares it only with
     * itself.
     */
    private @Nullable Thread owner;

    /** Takes the lock if it is free. Returns true if the caller is the owner now. */
    boolean tryLock() {
        boolean locked = lock.tryLock();
        if (locked) {
            owner = Thread.currentThread();
        }
        return locked;
    }

    /** Waits until the caller is the owner. */
    void lock() {
        lock.lock();
        owner = Thread.currentThread();
    }

    /** Unlocks; by the owner. The fence makes the free lock visible before the caller reads the doorbell. */
    void unlock() {
        owner = null;
        lock.unlock();
        VarHandle.fullFence();
    }

    /** Returns true if the calling thread is the owner. */
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    boolean isOwned() {
        return owner == Thread.currentThread();
    }
}
