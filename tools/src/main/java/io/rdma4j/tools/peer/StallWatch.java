package io.rdma4j.tools.peer;

/**
 * Notices that nothing has completed for a long time. Looks at the clock once in many polls, so that a poll loop can afford
 * it. Belongs to one thread, allocates nothing.
 */
public final class StallWatch {
    private static final int POLLS_PER_LOOK = 1024;

    private final long limitNs;
    private int polls;
    private boolean idle;
    private long idleSinceNs;

    /** @param limitNs how long a stall is */
    public StallWatch(long limitNs) {
        this.limitNs = limitNs;
    }

    /** How long a stall is. */
    public long limitNs() {
        return limitNs;
    }

    /** Something has completed. */
    public void progress() {
        polls = 0;
        idle = false;
    }

    /** A poll found nothing; true if that has been so for too long, and then the time starts anew. */
    public boolean stalled() {
        if (++polls < POLLS_PER_LOOK) {
            return false;
        }
        polls = 0;
        long nowNs = System.nanoTime();
        if (!idle) {
            idle = true;
            idleSinceNs = nowNs;
        }
        boolean stalled = nowNs - idleSinceNs >= limitNs;
        idle = !stalled;
        return stalled;
    }
}
