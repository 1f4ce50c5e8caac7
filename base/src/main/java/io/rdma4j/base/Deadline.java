// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

/**
 * Arithmetic on points in time in nanoseconds of a {@link NanoClock}. Comparisons are correct even if the clock wraps.
 *
 * <p>{@link #NEVER} means "no deadline". A deadline that would equal it is moved by 1 ns.
 */
public final class Deadline {
    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    private Deadline() {}

    /**
     * {@return the point {@code delayNs} after {@code nowNs}}
     *
     * @param nowNs of the clock
     * @param delayNs from then on; not negative
     */
    public static long after(long nowNs, long delayNs) {
        long deadlineNs = nowNs + delayNs;
        return deadlineNs == NEVER ? NEVER - 1 : deadlineNs;
    }

    /**
     * {@return true when {@code deadlineNs} is now or past; never true for {@link #NEVER}}
     *
     * @param deadlineNs of the same clock, or {@link #NEVER}
     * @param nowNs of the clock
     */
    public static boolean isDue(long deadlineNs, long nowNs) {
        return deadlineNs != NEVER && deadlineNs - nowNs <= 0;
    }

    /**
     * {@return the earlier of two points, either of which may be {@link #NEVER}}
     *
     * @param a a point in time, or {@link #NEVER}
     * @param b another one of the same clock
     */
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
