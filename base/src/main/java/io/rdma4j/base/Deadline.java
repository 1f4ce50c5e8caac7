package io.rdma4j.base;

/**
 * Points in time in nanoseconds of a {@link NanoClock}, compared so that the clock may wrap.
 *
 * <p>{@link #NEVER} stands for "no deadline"; a real deadline that would fall on it is moved by one nanosecond.
 */
public final class Deadline {
    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    private Deadline() {}

    /** The point {@code delayNs} after {@code nowNs}. */
    public static long after(long nowNs, long delayNs) {
        long deadlineNs = nowNs + delayNs;
        return deadlineNs == NEVER ? NEVER - 1 : deadlineNs;
    }

    /** True when {@code deadlineNs} is now or past; never true for {@link #NEVER}. */
    public static boolean isDue(long deadlineNs, long nowNs) {
        return deadlineNs != NEVER && deadlineNs - nowNs <= 0;
    }

    /** The earlier of two points, either of which may be {@link #NEVER}. */
    public static long earlier(long a, long b) {
        if (a == NEVER) {
            return b;
        }
        if (b == NEVER) {
            return a;
        }
        return a - b <= 0 ? a : b;
    }
}
