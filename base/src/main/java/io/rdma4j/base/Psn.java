package io.rdma4j.base;

/**
 * Packet sequence numbers: 24 bits, unsigned, in serial (cyclic) arithmetic.
 *
 * <p>A PSN is an {@code int} in {@code 0..0xFFFFFF}. Two PSNs are compared by the signed distance between them, so half
 * of the space (2^23) lies ahead of any PSN and half behind it; the distance of exactly 2^23 counts as behind. Message
 * sequence numbers (MSN) follow the same arithmetic. Answers to {@code psn_compare} of Linux rxe; IBA 9.7.2.
 */
public final class Psn {
    /** The largest PSN, and the mask of its 24 bits. */
    public static final int MASK = 0xFF_FFFF;

    private Psn() {}

    /**
     * {@return {@code value} cut to 24 bits}
     *
     * @param value any; negative ones count back from 2^24
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
     * {@return the steps from {@code b} to {@code a}: positive when {@code a} is ahead, in {@code -2^23 .. 2^23-1}}
     *
     * @param a 24 bits
     * @param b 24 bits
     */
    public static int distance(int a, int b) {
        return ((a - b) << 8) >> 8;
    }

    /**
     * {@return true when {@code a} comes before {@code b}}
     *
     * @param a 24 bits
     * @param b 24 bits
     */
    public static boolean isBefore(int a, int b) {
        return distance(a, b) < 0;
    }

    /**
     * {@return true when {@code a} comes after {@code b}}
     *
     * @param a 24 bits
     * @param b 24 bits
     */
    public static boolean isAfter(int a, int b) {
        return distance(a, b) > 0;
    }

    /**
     * {@return true when {@code psn} lies in the closed range {@code first .. last}, where {@code last} is not before
     * {@code first}}
     *
     * @param psn 24 bits
     * @param first 24 bits
     * @param last 24 bits; at most 2^23 - 1 ahead of {@code first}
     */
    public static boolean isWithin(int psn, int first, int last) {
        return !isBefore(psn, first) && !isAfter(psn, last);
    }
}
