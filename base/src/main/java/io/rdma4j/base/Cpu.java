package io.rdma4j.base;

import java.util.concurrent.locks.LockSupport;

/** What a thread does that waits by asking again and again. */
public final class Cpu {
    /** Of a rest: some 20 nanoseconds each. */
    private static final int PAUSES = 5;

    /** Long enough for whoever was woken meanwhile to have its turn, nanoseconds. */
    private static final long PARKED_NS = 20_000;

    private Cpu() {}

    /**
     * Lets others have the CPU for a moment. A virtual thread parks: those that only yield are served before those that somebody else has
     * woken, so that a few of them would keep the one they wait for from its carrier for ever.
     */
    public static void giveWay() {
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(PARKED_NS);
        } else {
            Thread.yield();
        }
    }

    /**
     * Rests for a tenth of a microsecond or so, between two looks that cost a system call each: whoever is looked for may share the core with
     * this thread, and is the faster for it.
     */
    public static void pause() {
        for (int i = 0; i < PAUSES; i++) {
            Thread.onSpinWait();
        }
    }
}
