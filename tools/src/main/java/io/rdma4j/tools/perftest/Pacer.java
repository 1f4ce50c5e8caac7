package io.rdma4j.tools.perftest;

import java.util.concurrent.TimeUnit;

/**
 * Lets messages leave in bursts at a rate, as perftest's rate limiter in software. Belongs to one thread; allocates nothing after
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

    /** Messages of a size begin now. */
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

    /** Takes leave for so many messages, no more than a burst; false if they must wait. */
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
