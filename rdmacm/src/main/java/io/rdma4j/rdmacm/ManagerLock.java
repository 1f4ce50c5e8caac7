// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The lock of rdma_cm, and what has to be done after it is released. */
final class ManagerLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Runnable> deferred = new ConcurrentLinkedQueue<>();

    /** Waits for a condition with the lock. */
    interface Waiting<T extends @Nullable Object> {
        T get() throws InterruptedException;
    }

    ReentrantLock lock() {
        return lock;
    }

    Condition newCondition() {
        return lock.newCondition();
    }

    <T extends @Nullable Object> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
            runDeferred();
        }
    }

    <T extends @Nullable Object> T lockedInterruptibly(Waiting<T> action) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return action.get();
        } finally {
            lock.unlock();
            runDeferred();
        }
    }

    /** Runs an action soon, without the lock. Does not wait. */
    void defer(Runnable action) {
        deferred.add(action);
    }

    /** Does nothing with the lock held. */
    void runDeferred() {
        if (!lock.isHeldByCurrentThread()) {
            for (Runnable action = deferred.poll(); action != null; action = deferred.poll()) {
                action.run();
            }
        }
    }
}
