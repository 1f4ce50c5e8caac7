package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import java.util.Arrays;

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

    private static final int COUNT = Timer.values().length;

    private final long[] deadlinesNs = new long[COUNT];

    RetryTimers() {
        cancelAll();
    }

    void arm(Timer timer, long deadlineNs) {
        deadlinesNs[timer.ordinal()] = deadlineNs;
    }

    void cancel(Timer timer) {
        deadlinesNs[timer.ordinal()] = Deadline.NEVER;
    }

    void cancelAll() {
        Arrays.fill(deadlinesNs, Deadline.NEVER);
    }

    boolean isArmed(Timer timer) {
        return deadlinesNs[timer.ordinal()] != Deadline.NEVER;
    }

    /** True, and the timer is disarmed, if its deadline has come. */
    boolean takeIfDue(Timer timer, long nowNs) {
        if (!Deadline.isDue(deadlinesNs[timer.ordinal()], nowNs)) {
            return false;
        }
        cancel(timer);
        return true;
    }

    /** The earliest deadline, or {@link Deadline#NEVER}. */
    long nextDeadlineNs() {
        long earliestNs = Deadline.NEVER;
        for (int i = 0; i < COUNT; i++) {
            earliestNs = Deadline.earlier(earliestNs, deadlinesNs[i]);
        }
        return earliestNs;
    }
}
