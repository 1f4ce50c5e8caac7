// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

/**
 * Detects that no request has completed for a long time. Reads the clock once in many polls, so that a poll loop can
 * call it. One thread; does not allocate.
 */
public final class StallWatch {
    private static final int POLLS_PER_LOOK = 1024;

    private final long limitNs;
    private int polls;
    private boolean idle;
    private long idleSinceNs;

    /** @param limitNs time without a completion that counts as a stall */
    public StallWatch(long limitNs) {
        this.limitNs = limitNs;
    }

    /** Time without a completion that counts as a stall. */
    public long limitNs() {
        return limitNs;
    }

    /** Handles a completion. */
    public void progress() {
        polls = 0;
        idle = false;
    }

    /** Handles an empty poll; true if no request has completed for the limit, which then starts again. */
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
