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

    /** Cuts {@code value} to 24 bits. */
    public static int of(int value) {
        return value & MASK;
    }

    /** The PSN {@code count} steps after {@code psn}; {@code count} may be negative. */
    public static int add(int psn, int count) {
        return (psn + count) & MASK;
    }

    /** The PSN after {@code psn}. */
    public static int next(int psn) {
        return add(psn, 1);
    }

    /** The PSN before {@code psn}. */
    public static int previous(int psn) {
        return add(psn, -1);
    }

    /** Steps from {@code b} to {@code a}: positive when {@code a} is ahead, in {@code -2^23 .. 2^23-1}. */
    public static int distance(int a, int b) {
        return ((a - b) << 8) >> 8;
    }

    /** True when {@code a} comes before {@code b}. */
    public static boolean isBefore(int a, int b) {
        return distance(a, b) < 0;
    }

    /** True when {@code a} comes after {@code b}. */
    public static boolean isAfter(int a, int b) {
        return distance(a, b) > 0;
    }

    /** True when {@code psn} lies in the closed range {@code first .. last}, where {@code last} is not before {@code first}. */
    public static boolean isWithin(int psn, int first, int last) {
        return !isBefore(psn, first) && !isAfter(psn, last);
    }
}
