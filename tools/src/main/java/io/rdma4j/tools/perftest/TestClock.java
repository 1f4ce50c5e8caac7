package io.rdma4j.tools.perftest;

import java.util.concurrent.TimeUnit;

/**
 * The phases of a test that runs for a time: a margin at both ends is not measured. A test that counts messages is measured all
 * the time and never over. Belongs to one thread.
 */
final class TestClock {
    /** Where a test is. */
    enum Phase {
        /** Under way, not yet measured. */
        BEFORE,
        /** Measured. */
        MEASURED,
        /** Still under way for the other side's sake. */
        AFTER,
        /** No more messages. */
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

    /** The test begins now. */
    void start() {
        startNs = System.nanoTime();
    }

    /** Where it is. */
    Phase phase() {
        return timed ? phase(System.nanoTime()) : Phase.MEASURED;
    }

    /** Where it is at {@code nowNs}. */
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

    /** What is measured of a timed test. */
    long measuredNs() {
        return durationNs - 2 * marginNs;
    }
}
