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
 * <p>A program may poll often and yet wait for something else: it posts a WRITE, polls its completion, and then reads
 * the memory in which the peer's WRITE is to arrive. Polls count for nothing for {@link #DISTRUST_NS} after such a
 * program has been found, see {@link #missed}.
 *
 * <p>For one loop thread. Times are nanoseconds of the loop's clock.
 */
final class PollCheck {
    /** Interval of the first checks, 4 ms. */
    static final long SHORTEST_NS = TimeUnit.MILLISECONDS.toNanos(4);

    /** Interval while application threads go on polling, 50 ms. */
    static final long LONGEST_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Time in which a thread that polls without pause polls at least once, also if it shares its CPU. */
    static final long SAMPLE_NS = TimeUnit.MICROSECONDS.toNanos(100);

    /** Time during which the loop thread serves a program that polls and yet does not take what arrives, 1 s. */
    static final long DISTRUST_NS = TimeUnit.SECONDS.toNanos(1);

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
    private long distrustedUntilNs;

    /**
     * @param polls number of polls so far
     * @param nowNs time of that number
     */
    PollCheck(long polls, long nowNs) {
        this.polls = polls;
        this.checkedNs = nowNs;
        this.distrustedUntilNs = nowNs;
    }

    /** Records that packets had to wait for this thread, because no thread polled when they arrived. */
    void missed(long nowNs) {
        distrustedUntilNs = nowNs + DISTRUST_NS;
    }

    /**
     * Checks: true if application threads have polled without pause since the last check.
     *
     * @param seen number of polls
     * @param pollsAtBlock number of polls when a thread blocked the last time
     */
    boolean spins(long nowNs, long seen, long pollsAtBlock) {
        boolean often = (seen - polls) * POLLING_INTERVAL_NS > nowNs - checkedNs;
        boolean spins = often && nowNs - distrustedUntilNs >= 0 && seen - pollsAtBlock > POLLS_OF_A_SPINNER;
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
