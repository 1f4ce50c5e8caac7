package io.rdma4j.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Guards the client's end of a queue for the few nanoseconds of one post or poll, as the per-queue spin locks of
 * libibverbs providers do. Not reentrant, not fair; uncontended it costs one compare-and-set and one release store.
 *
 * <p>A waiter spins briefly, then yields, so that a holder that lost its CPU gets it back.
 */
public final class SpinLock {
    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int SPINS_BEFORE_YIELD = 100;

    @SuppressWarnings("unused") // through HELD
    private volatile boolean held;

    /** A free lock. */
    public SpinLock() {}

    /** {@return true if the lock was free and is now the caller's} */
    public boolean tryLock() {
        return HELD.compareAndSet(this, false, true);
    }

    /** Waits until the lock is the caller's. */
    public void lock() {
        int spins = 0;
        while (!tryLock()) {
            if (++spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Cpu.giveWay();
            }
        }
    }

    /** Gives the lock back; only the holder may call it. What it wrote is visible to the next holder. */
    public void unlock() {
        HELD.setRelease(this, false);
    }
}
