// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.base.Deadline;

/** The deadlines of one queue pair, in nanoseconds of the device's clock. */
public final class RetryTimers {
    /** The purpose of a deadline. */
    public enum Timer {
        /** No response to the oldest unacknowledged packet: IBA 9.7.6.1.3. */
        RETRANSMIT,
        /** The peer had no receive posted and sent an RNR NAK: IBA 9.7.5.2.8. */
        RNR,
        /** The rate limit allows no packet now: {@link RateLimiter}. */
        PACE,
        /** No congestion was reported for a while: DCQCN's K. */
        CONGESTION_ALPHA,
        /** The rate is to be raised: DCQCN's T. */
        RATE_INCREASE
    }

    private static final int TIMERS = Timer.values().length;
    private static final long[] NONE = {};

    /** Allocated when the first timer is armed. */
    private long[] deadlinesNs = NONE;

    /**
     * Bit {@code n} for the timer of ordinal {@code n}; the deadlines of the others are invalid. Mostly none or one is
     * armed.
     */
    private int armed;

    public void arm(Timer timer, long deadlineNs) {
        if (deadlinesNs.length == 0) {
            deadlinesNs = new long[TIMERS];
        }
        deadlinesNs[timer.ordinal()] = deadlineNs;
        armed |= bit(timer);
    }

    public void cancel(Timer timer) {
        armed &= ~bit(timer);
    }

    public void cancelAll() {
        armed = 0;
    }

    public boolean isArmed(Timer timer) {
        return (armed & bit(timer)) != 0;
    }

    /** True if no timer is armed. */
    public boolean areIdle() {
        return armed == 0;
    }

    private static int bit(Timer timer) {
        return 1 << timer.ordinal();
    }

    /** True if the deadline of the timer has come; the timer is then disarmed. */
    public boolean takeIfDue(Timer timer, long nowNs) {
        if (!isArmed(timer) || !Deadline.isDue(deadlinesNs[timer.ordinal()], nowNs)) {
            return false;
        }
        cancel(timer);
        return true;
    }

    /** The earliest deadline, or {@link Deadline#NEVER}. */
    public long nextDeadlineNs() {
        long earliestNs = Deadline.NEVER;
        for (int left = armed; left != 0; left &= left - 1) {
            earliestNs = Deadline.earlier(earliestNs, deadlinesNs[Integer.numberOfTrailingZeros(left)]);
        }
        return earliestNs;
    }
}
