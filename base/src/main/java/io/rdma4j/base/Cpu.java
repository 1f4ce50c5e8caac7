// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import java.util.concurrent.locks.LockSupport;

/** Pauses for threads that wait in a polling loop. */
public final class Cpu {
    /** Spin-wait hints per pause, about 20 ns each. */
    private static final int PAUSES = 5;

    /** Park time of a virtual thread, ns: long enough for a thread that became runnable meanwhile to run. */
    private static final long PARKED_NS = 20_000;

    private Cpu() {}

    /**
     * Yields the CPU to other threads for a moment. A virtual thread parks for 20 µs instead of yielding. The scheduler
     * serves yielding virtual threads before woken ones. Several threads that only yield could therefore keep the
     * thread that they wait for off its carrier forever.
     */
    public static void giveWay() {
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(PARKED_NS);
        } else {
            Thread.yield();
        }
    }

    /**
     * Pauses for about 0.1 µs, between two polls that cost a system call each. If the peer's thread shares the core, it
     * runs faster meanwhile.
     */
    public static void pause() {
        for (int i = 0; i < PAUSES; i++) {
            Thread.onSpinWait();
        }
    }
}
