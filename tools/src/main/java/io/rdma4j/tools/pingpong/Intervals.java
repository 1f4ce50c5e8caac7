// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Records the times between received messages, one round trip each. Recording does not allocate. */
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

    /** {@return the times in nanoseconds} */
    Histogram times() {
        return times;
    }
}
