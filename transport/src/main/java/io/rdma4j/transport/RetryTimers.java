package io.rdma4j.transport;

import io.rdma4j.base.Deadline;

/** The deadlines of one queue pair, as points in time of the device's clock in nanoseconds. */
final class RetryTimers {
    /** What a deadline is for. */
    enum Timer {
        /** No answer to the oldest unacknowledged packet: IBA 9.7.6.1.3. */
        RETRANSMIT,
        /** The peer had no receive posted and asked for patience: IBA 9.7.5.2.8. */
        RNR
    }

    private final long[] deadlinesNs = {Deadline.NEVER, Deadline.NEVER};

    void arm(Timer timer, long deadlineNs) {
        deadlinesNs[timer.ordinal()] = deadlineNs;
    }

    void cancel(Timer timer) {
        deadlinesNs[timer.ordinal()] = Deadline.NEVER;
    }

    void cancelAll() {
        cancel(Timer.RETRANSMIT);
        cancel(Timer.RNR);
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
        return Deadline.earlier(deadlinesNs[0], deadlinesNs[1]);
    }
}
