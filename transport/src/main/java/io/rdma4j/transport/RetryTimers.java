package io.rdma4j.transport;

import io.rdma4j.base.Deadline;

/** The deadlines of one queue pair, as points in time of the device's clock in nanoseconds. */
final class RetryTimers {
    /** What a deadline is for. */
    enum Timer {
        /** No answer to the oldest unacknowledged packet: IBA 9.7.6.1.3. */
        RETRANSMIT,
        /** The peer had no receive posted and asked for patience: IBA 9.7.5.2.8. */
        RNR,
        /** The rate allows no packet now: {@link RateLimiter}. */
        PACE,
        /** No congestion was told of for a while: DCQCN's K. */
        CONGESTION_ALPHA,
        /** The rate is to be raised: DCQCN's T. */
        RATE_INCREASE
    }

    private final long[] deadlinesNs = new long[Timer.values().length];

    /** Bit {@code n} for the timer of ordinal {@code n}: the others' deadlines mean nothing. None or one of them is, mostly. */
    private int armed;

    void arm(Timer timer, long deadlineNs) {
        deadlinesNs[timer.ordinal()] = deadlineNs;
        armed |= bit(timer);
    }

    void cancel(Timer timer) {
        armed &= ~bit(timer);
    }

    void cancelAll() {
        armed = 0;
    }

    boolean isArmed(Timer timer) {
        return (armed & bit(timer)) != 0;
    }

    private static int bit(Timer timer) {
        return 1 << timer.ordinal();
    }

    /** True, and the timer is disarmed, if its deadline has come. */
    boolean takeIfDue(Timer timer, long nowNs) {
        if (!isArmed(timer) || !Deadline.isDue(deadlinesNs[timer.ordinal()], nowNs)) {
            return false;
        }
        cancel(timer);
        return true;
    }

    /** The earliest deadline, or {@link Deadline#NEVER}. */
    long nextDeadlineNs() {
        long earliestNs = Deadline.NEVER;
        for (int left = armed; left != 0; left &= left - 1) {
            earliestNs = Deadline.earlier(earliestNs, deadlinesNs[Integer.numberOfTrailingZeros(left)]);
        }
        return earliestNs;
    }
}
