package io.rdma4j.tools;

/**
 * Notices when nothing has completed for a long time. Looks at the clock once in many polls, so that a poll loop can afford
 * it. Belongs to one thread, allocates nothing.
 */
final class StallWatch {
    private static final int POLLS_PER_LOOK = 1024;

    private final long limitNs;
    private int polls;
    private long sinceNs;
    private boolean idle;

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
        idle = false;
    }

    /** A poll found nothing; true if it is a stall by now, and then the next one begins. */
    boolean stalled() {
        if (++polls > Integer.getInteger("y",64)) Thread.yield();
        if (polls % POLLS_PER_LOOK !=0) {
            return false;
        }
        long now = System.nanoTime();
        if (!idle) {
            idle = true;
            sinceNs = now;
            return false;
        }
        if (now - sinceNs < limitNs) {
            return false;
        }
        idle = false;
        return true;
    }
}
