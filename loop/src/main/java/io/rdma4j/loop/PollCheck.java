// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import java.util.concurrent.TimeUnit;

/**
 * A loop thread's checks whether application threads poll without pause, and the interval of the checks.
 *
 * <p>Each check takes the CPU from a thread that polls, if there is no other CPU. So the interval doubles from
 * {@link #SHORTEST_NS} to {@link #LONGEST_NS} while all checks find polling threads. A program that has polled for long
 * and stops without blocking is noticed within two of the longest intervals.
 *
 * <p>For one loop thread. Times are nanoseconds of the loop's clock.
 */
final class PollCheck {
    /** Interval of the first checks, 4 ms. */
    static final long SHORTEST_NS = TimeUnit.MILLISECONDS.toNanos(4);

    /** Interval while application threads go on polling, 50 ms. */
    static final long LONGEST_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * Maximum average interval between polls that counts as polling without pause. A poll takes half a microsecond, 20
     * times as long in a JVM that has just started, and more on a shared CPU.
     */
    private static final long POLLING_INTERVAL_NS = TimeUnit.MICROSECONDS.toNanos(200);

    /**
     * A thread that sleeps for events polls a few times per event before it blocks again. More polls than this since
     * the last block count as spinning.
     */
    private static final int POLLS_OF_A_SPINNER = 16;

    private long polls;
    private long checkedNs;
    private long intervalNs = SHORTEST_NS;

    /**
     * @param polls number of polls so far
     * @param nowNs time of that number
     */
    PollCheck(long polls, long nowNs) {
        this.polls = polls;
        this.checkedNs = nowNs;
    }

    /**
     * Checks: true if application threads have polled without pause since the last check.
     *
     * @param seen number of polls
     * @param pollsAtBlock number of polls when a thread blocked the last time
     */
    boolean spins(long nowNs, long seen, long pollsAtBlock) {
        boolean often = (seen - polls) * POLLING_INTERVAL_NS > nowNs - checkedNs;
        boolean spins = often && seen - pollsAtBlock > POLLS_OF_A_SPINNER;
        // A check that was woken early says nothing about the whole interval.
        boolean whole = nowNs - checkedNs >= intervalNs;
        if (!spins) {
            intervalNs = SHORTEST_NS;
        } else if (whole) {
            intervalNs = Math.min(2 * intervalNs, LONGEST_NS);
        }
        polls = seen;
        checkedNs = nowNs;
        return spins;
    }

    /**
     * Time until the next check.
     *
     * @param limitNs limit of the {@link LatencyRequests}; below the shortest interval it has no effect here
     */
    long intervalNs(long limitNs) {
        return Math.max(SHORTEST_NS, Math.min(intervalNs, limitNs));
    }
}
