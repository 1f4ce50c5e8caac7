package io.rdma4j.tools.pingpong;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The times between received messages: one round trip each. Records without allocating. */
final class Intervals {
    private static final int DIGITS = 3;

    private final Histogram times = new Histogram(TimeUnit.MINUTES.toNanos(10), DIGITS);
    private long previousNs;
    private boolean started;

    void add(long nowNs) {
        if (started) {
            times.recordValue(Math.clamp(nowNs - previousNs, 1, times.getHighestTrackableValue()));
        }
        previousNs = nowNs;
        started = true;
    }

    /** {@return in nanoseconds} */
    Histogram times() {
        return times;
    }
}
