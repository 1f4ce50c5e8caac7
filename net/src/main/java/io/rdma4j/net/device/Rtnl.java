// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The lock for registration and configuration of one host's devices ({@code rtnl_mutex}). The data path never takes it.
 *
 * <p>Work that must not happen under the lock, such as the last step of an unregistration, is done by the thread that
 * releases it ({@code netdev_run_todo}).
 */
public final class Rtnl {
    private final ReentrantLock lock = new ReentrantLock();
    private final Runnable afterUnlock;

    /**
     * Creates a free lock.
     *
     * @param afterUnlock called each time a thread has released the lock completely
     */
    public Rtnl(Runnable afterUnlock) {
        this.afterUnlock = afterUnlock;
    }

    /**
     * Runs {@code action} under the lock ({@code rtnl_lock}, {@code rtnl_unlock}). The lock is reentrant.
     *
     * @param action should be short, because it blocks all other configuration
     */
    public void run(Runnable action) {
        call(() -> {
            action.run();
            return this;
        });
    }

    /**
     * Runs {@code action} under the lock.
     *
     * @param <T> type of the result
     * @param action should be short, because it blocks all other configuration
     * @return the result of {@code action}
     */
    public <T> T call(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            unlock();
        }
    }

    /**
     * Runs {@code action} under the lock, unless another thread holds it ({@code rtnl_trylock}).
     *
     * @param action should be short, because it blocks all other configuration
     * @return false if another thread holds the lock
     */
    public boolean tryRun(Runnable action) {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            action.run();
        } finally {
            unlock();
        }
        return true;
    }

    private void unlock() {
        lock.unlock();
        if (!lock.isHeldByCurrentThread()) {
            afterUnlock.run();
        }
    }

    /** {@return true if the calling thread holds the lock ({@code ASSERT_RTNL})} */
    public boolean isHeld() {
        return lock.isHeldByCurrentThread();
    }
}
