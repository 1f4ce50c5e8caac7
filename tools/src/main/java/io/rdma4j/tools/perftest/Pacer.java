// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import java.util.concurrent.TimeUnit;

/**
 * Limits messages to a rate, in bursts, as perftest's software rate limiter. One thread; does not allocate after
 * construction.
 */
final class Pacer {
    private final PerfOptions.Pacing pacing;
    private long gapNs;
    private long nextNs;
    private long left;

    Pacer(PerfOptions.Pacing pacing) {
        this.pacing = pacing;
    }

    /** Starts with messages of a size. */
    void start(int sizeBytes, long nowNs) {
        double perSecond = pacing.messagesPerSecond(sizeBytes);
        gapNs = perSecond == 0 ? 0 : (long) (pacing.burst() * TimeUnit.SECONDS.toNanos(1) / perSecond);
        nextNs = nowNs;
        left = 0;
    }

    /** True if the program limits the rate. */
    boolean isActive() {
        return gapNs > 0;
    }

    /** Takes permits for {@code count} messages, at most a burst; false if they must wait. */
    boolean permits(int count, long nowNs) {
        if (left < count) {
            if (nowNs - nextNs < 0) {
                return false;
            }
            left = pacing.burst();
            nextNs = nowNs + gapNs;
        }
        left -= count;
        return true;
    }
}
