package io.rdma4j.net;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The lock under which the devices of one host come, change and go ({@code rtnl_mutex}). Nothing on the way of a packet
 * takes it.
 *
 * <p>What may not be done under the lock, such as the last step of an unregistration, is done by whoever gives it back
 * ({@code netdev_run_todo}).
 */
public final class Rtnl {
    private final ReentrantLock lock = new ReentrantLock();
    private final Runnable afterUnlock;

    /**
     * A lock that is free.
     *
     * @param afterUnlock what is done each time that a thread has given the lock back for good
     */
    public Rtnl(Runnable afterUnlock) {
        this.afterUnlock = afterUnlock;
    }

    /**
     * Does {@code action} under the lock ({@code rtnl_lock}, {@code rtnl_unlock}); a thread may take it again.
     *
     * @param action short, since it stops all else of this kind
     */
    public void run(Runnable action) {
        call(() -> {
            action.run();
            return this;
        });
    }

    /**
     * Does {@code action} under the lock.
     *
     * @param <T> of the result
     * @param action short, since it stops all else of this kind
     * @return what {@code action} returns
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
     * Does {@code action} under the lock, unless another thread has it ({@code rtnl_trylock}).
     *
     * @param action short, since it stops all else of this kind
     * @return false if another thread has it
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

    /** {@return true if the calling thread holds it ({@code ASSERT_RTNL})} */
    public boolean isHeld() {
        return lock.isHeldByCurrentThread();
    }
}
