// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

/** Threads that wait until a block is returned to a full pool. Any thread. */
final class BlockWaiters {
    /** Written under the monitor. */
    private volatile int count;

    /** Changes with each return of a block that a thread waits for; guarded by this. */
    private int returns;

    /** {@return true if a thread waits; read under the lock of the size, before the block is free for others} */
    boolean isAny() {
        return count > 0;
    }

    /** Begins to wait. Returns what {@link #await} needs; the caller tries to take a block in between. */
    synchronized int enter() {
        count++;
        return returns;
    }

    /** Waits until {@link #wake} is called, and returns the new number; at once if it was called since {@code seen}. */
    synchronized int await(int seen) throws InterruptedException {
        while (returns == seen) {
            wait();
        }
        return returns;
    }

    synchronized void leave() {
        count--;
    }

    synchronized void wake() {
        returns++;
        notifyAll();
    }
}
