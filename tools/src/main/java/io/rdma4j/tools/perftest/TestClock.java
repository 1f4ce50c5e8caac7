// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import java.util.concurrent.TimeUnit;

/**
 * Phases of a test with a duration; margins at both ends are not measured. A test that counts messages is always in the
 * measured phase. One thread.
 */
final class TestClock {
    /** Phase of a test. */
    enum Phase {
        /** Running, before the measurement. */
        BEFORE,
        /** Running, measured. */
        MEASURED,
        /** Running after the measurement, because the other side may still measure. */
        AFTER,
        /** Ended. */
        OVER
    }

    private final boolean timed;
    private final long marginNs;
    private final long durationNs;
    private long startNs;

    TestClock(PerfOptions options) {
        this.timed = options.isTimed();
        this.marginNs = TimeUnit.SECONDS.toNanos(options.marginS());
        this.durationNs = TimeUnit.SECONDS.toNanos(options.durationS());
    }

    /** Starts the test. */
    void start() {
        startNs = System.nanoTime();
    }

    /** Phase now. */
    Phase phase() {
        return timed ? phase(System.nanoTime()) : Phase.MEASURED;
    }

    /** Phase at {@code nowNs}. */
    Phase phase(long nowNs) {
        return timed ? phaseAfter(nowNs - startNs) : Phase.MEASURED;
    }

    private Phase phaseAfter(long elapsedNs) {
        if (elapsedNs < marginNs) {
            return Phase.BEFORE;
        } else if (elapsedNs < durationNs - marginNs) {
            return Phase.MEASURED;
        }
        return elapsedNs < durationNs ? Phase.AFTER : Phase.OVER;
    }

    /** Measured part of a test with a duration. */
    long measuredNs() {
        return durationNs - 2 * marginNs;
    }
}
