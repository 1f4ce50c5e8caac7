// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

/**
 * Packet sequence numbers: 24 bits, unsigned, in serial (cyclic) arithmetic.
 *
 * <p>A PSN is an {@code int} in {@code 0..0xFFFFFF}. Two PSNs are compared by their signed distance: half of the space
 * (2^23) is ahead of a PSN, the other half behind it. A distance of exactly 2^23 counts as behind. Message sequence
 * numbers (MSN) use the same arithmetic. Corresponds to {@code psn_compare} of Linux rxe; IBA 9.7.2.
 */
public final class Psn {
    /** The largest PSN, and the mask of its 24 bits. */
    public static final int MASK = 0xFF_FFFF;

    private Psn() {}

    /**
     * {@return the lower 24 bits of {@code value}}
     *
     * @param value any; negative values count back from 2^24
     */
    public static int of(int value) {
        return value & MASK;
    }

    /**
     * {@return the PSN {@code count} steps after {@code psn}; {@code count} may be negative}
     *
     * @param psn 24 bits
     * @param count steps, in {@code -2^23 .. 2^23-1}
     */
    public static int add(int psn, int count) {
        return (psn + count) & MASK;
    }

    /**
     * {@return the PSN after {@code psn}}
     *
     * @param psn 24 bits
     */
    public static int next(int psn) {
        return add(psn, 1);
    }

    /**
     * {@return the PSN before {@code psn}}
     *
     * @param psn 24 bits
     */
    public static int previous(int psn) {
        return add(psn, -1);
    }

    /**
     * {@return the steps from {@code b} to {@code a}, {@code -2^23 .. 2^23-1}; positive if {@code a} is ahead}
     *
     * @param a 24 bits
     * @param b 24 bits
     */
    public static int distance(int a, int b) {
        return ((a - b) << 8) >> 8;
    }

    /**
     * {@return true if {@code a} is before {@code b}}
     *
     * @param a 24 bits
     * @param b 24 bits
     */
    public static boolean isBefore(int a, int b) {
        return distance(a, b) < 0;
    }

    /**
     * {@return true if {@code a} is after {@code b}}
     *
     * @param a 24 bits
     * @param b 24 bits
     */
    public static boolean isAfter(int a, int b) {
        return distance(a, b) > 0;
    }

    /**
     * {@return true if {@code psn} is in the closed range {@code first .. last}}
     *
     * @param psn 24 bits
     * @param first 24 bits
     * @param last 24 bits; 0 to 2^23 - 1 ahead of {@code first}
     */
    public static boolean isWithin(int psn, int first, int last) {
        return !isBefore(psn, first) && !isAfter(psn, last);
    }
}
