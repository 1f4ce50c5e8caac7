// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Guards the posting or polling end of a queue for the few nanoseconds of one post or poll, like the per-queue spin
 * locks of libibverbs providers. Not reentrant, not fair. Without contention it costs one compare-and-set and one
 * release store.
 *
 * <p>A waiting thread spins briefly, then yields, so that a preempted holder can run again.
 */
public class SpinLock {
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

    /** Creates a free lock. */
    public SpinLock() {}

    /** {@return true if the lock was free; the caller holds it now} */
    public final boolean tryLock() {
        return HELD.compareAndSet(this, false, true);
    }

    /** Waits until the caller holds the lock. */
    public final void lock() {
        int spins = 0;
        while (!tryLock()) {
            if (++spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Cpu.giveWay();
            }
        }
    }

    /** Releases the lock; only the holder may call it. Its writes are visible to the next holder. */
    public final void unlock() {
        HELD.setRelease(this, false);
    }
}
