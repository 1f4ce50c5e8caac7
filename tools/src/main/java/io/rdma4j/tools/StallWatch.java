package io.rdma4j.tools;

/**
 * What a poll loop does while nothing completes: spin, for the peer may answer at once; then offer the CPU, for the peer may
 * need it; and after a long time notice that it is no use.
 *
 * <p>Looks at the clock once in many polls. Belongs to one thread, allocates nothing.
 */
final class StallWatch {
    /** Some tens of microseconds: a peer that has a CPU has answered by then, and one that waits for ours gets it. */
    private static final int POLLS_BEFORE_YIELD = 64;

    private static final int POLLS_PER_LOOK = 1024;

    private final long limitNs;
    private int polls;
    private long sinceNs;

    StallWatch(long limitNs) {
        this.limitNs = limitNs;
    }

    /** How long a stall is. */
    long limitNs() {
        return limitNs;
    }

    /** Something has completed. */
    void progress() {
        polls = 0;
    }

    /** A poll found nothing; true if that has been so for too long, and then the time starts anew. */
    boolean stalled() {
        polls++;
        if (polls <= POLLS_BEFORE_YIELD) {
            Thread.onSpinWait();
            return false;
        }
        Thread.yield();
        if (polls == POLLS_BEFORE_YIELD + 1) {
            sinceNs = System.nanoTime();
        }
        if (polls < POLLS_PER_LOOK) {
            return false;
        }
        boolean stalled = System.nanoTime() - sinceNs >= limitNs;
        polls = stalled ? 0 : POLLS_BEFORE_YIELD + 1;
        return stalled;
    }
}
