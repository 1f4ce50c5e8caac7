// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

/**
 * The wait of a requester after an RNR NAK, as a code of five bits (IBA 9.7.5.2): {@code min_rnr_timer},
 * {@code enum ib_rnr_timeout}.
 */
public final class RnrTimer {
    /** Number of codes: 0..31. */
    public static final int CODES = 32;

    /**
     * Wait by code, in units of 0.01 ms. Code 25 is 61.44 ms. Linux rxe has 61.41 there, presumably a typo, because all
     * other values double with every second code.
     */
    private static final int[] HUNDREDTHS_MS = {
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12288, 16384, 24576, 32768, 49152,
    };

    private static final long NS_PER_HUNDREDTH_MS = 10_000;

    private RnrTimer() {}

    /**
     * {@return the wait in ns: code 0 is the longest (655.36 ms), code 1 the shortest (10 µs)}
     *
     * @param code 0..31
     */
    public static long ns(int code) {
        return HUNDREDTHS_MS[code] * NS_PER_HUNDREDTH_MS;
    }

    /**
     * {@return the wait as text: {@code 0.12 ms}} Allocates.
     *
     * @param code 0..31
     */
    public static String toString(int code) {
        int hundredths = HUNDREDTHS_MS[code];
        int rest = hundredths % 100;
        return hundredths / 100 + (rest < 10 ? ".0" : ".") + rest + " ms";
    }
}
