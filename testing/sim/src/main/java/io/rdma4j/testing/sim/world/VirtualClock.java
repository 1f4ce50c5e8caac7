// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.NanoClock;

/** Time that advances only by {@link #advanceTo}. One thread. */
public final class VirtualClock implements NanoClock {
    private final long originNs;
    private long nowNs;

    /** @param originNs initial value; any value is valid, because callers compare differences of readings */
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

    /** @throws IllegalArgumentException if the time is in the past */
    void advanceTo(long timeNs) {
        if (timeNs - nowNs < 0) {
            throw new IllegalArgumentException("from " + nowNs + " to " + timeNs + " ns: time does not go back");
        }
        nowNs = timeNs;
    }
}
