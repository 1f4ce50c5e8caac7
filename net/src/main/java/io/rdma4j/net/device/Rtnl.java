// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The lock for registration and configuration of one host's devices ({@code rtnl_mutex}). The data path never takes it.
 *
 * <p>A thread takes this lock before a loop of the host. A thread that owns a loop therefore does not wait for this
 * lock: it uses {@link #tryRun} or {@link #queue}.
 *
 * <p>Work that must not happen under the lock, such as the last step of an unregistration, is done by the thread that
 * releases it ({@code netdev_run_todo}).
 */
public final class Rtnl {
    private static final System.Logger LOGGER = System.getLogger(Rtnl.class.getName());

    private final ReentrantLock lock = new ReentrantLock();
    private final List<BooleanSupplier> loops = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> work = new ConcurrentLinkedQueue<>();
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
     * Makes {@link #run} and {@link #call} reject a thread that owns a loop and does not hold this lock.
     *
     * @param isInside returns true if the calling thread owns the loop
     */
    public void precede(BooleanSupplier isInside) {
        loops.add(isInside);
    }

    /**
     * Runs {@code action} under the lock ({@code rtnl_lock}, {@code rtnl_unlock}). The lock is reentrant.
     *
     * @param action should be short, because it blocks all other configuration
     * @throws RdmaException EDEADLK if the calling thread owns a loop of the host and does not hold the lock
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
     * @throws RdmaException EDEADLK if the calling thread owns a loop of the host and does not hold the lock
     */
    public <T> T call(Supplier<T> action) {
        if (!lock.isHeldByCurrentThread()) {
            requireOutside();
        }
        lock.lock();
        try {
            return action.get();
        } finally {
            unlock();
        }
    }

    private void requireOutside() {
        for (BooleanSupplier isInside : loops) {
            if (isInside.getAsBoolean()) {
                throw new RdmaException(
                        Errno.EDEADLK, "the owner of a loop does not wait for the RTNL lock: lock it before the loop");
            }
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

    /**
     * Runs {@code action} under the lock without waiting for it: at once if the lock is free, otherwise in the thread
     * that holds it, when it has released it. Actions run in the order of the calls; an exception is logged. Any
     * thread, also the owner of a loop.
     *
     * @param action should be short, because it blocks all other configuration
     */
    public void queue(Runnable action) {
        work.add(action);
        if (!lock.isHeldByCurrentThread()) {
            runWork();
        }
    }

    /** Runs the queued actions, unless another thread holds the lock: it looks for them after it has released it. */
    private void runWork() {
        if (!work.isEmpty()) {
            tryRun(this::runAll);
        }
    }

    private void runAll() {
        for (Runnable action = work.poll(); action != null; action = work.poll()) {
            try {
                action.run();
            } catch (RuntimeException e) {
                LOGGER.log(Level.ERROR, "a queued change of a device has failed", e);
            }
        }
    }

    private void unlock() {
        lock.unlock();
        if (!lock.isHeldByCurrentThread()) {
            runWork();
            afterUnlock.run();
        }
    }

    /** {@return true if the calling thread holds the lock ({@code ASSERT_RTNL})} */
    public boolean isHeld() {
        return lock.isHeldByCurrentThread();
    }
}
