package io.rdma4j.testing.sim;

import io.rdma4j.base.NanoClock;

/** Time that passes only when the simulation says so. One thread. */
public final class VirtualClock implements NanoClock {
    private final long originNs;
    private long nowNs;

    /** @param originNs where it starts; any value will do, since readings are compared by their distance */
    public VirtualClock(long originNs) {
        this.originNs = originNs;
        this.nowNs = originNs;
    }

    @Override
    public long nanoTime() {
        return nowNs;
    }

    /** Nanoseconds since the start. */
    public long elapsedNs() {
        return nowNs - originNs;
    }

    /** @throws IllegalArgumentException if that would be a step back */
    void advanceTo(long timeNs) {
        if (timeNs - nowNs < 0) {
            throw new IllegalArgumentException("from " + nowNs + " to " + timeNs + " ns: time does not go back");
        }
        nowNs = timeNs;
    }
}
