// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

/** End-to-end credits in an ACK, as a code of five bits (IBA 9.7.7.2): the number of free receive work requests. */
public final class CreditCode {
    /**
     * The responder does not limit the requester; used by queue pairs with a shared receive queue, and by Linux rxe.
     */
    public static final int UNLIMITED = 31;

    private static final int[] CREDITS = {
        0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12288, 16384, 24576, 32768,
    };

    private CreditCode() {}

    /**
     * {@return messages that the requester may send beyond the ACK's MSN; {@code code} in 0..30}
     *
     * @param code 0..30
     */
    public static int credits(int code) {
        return CREDITS[code];
    }

    /**
     * {@return the largest code, 0..30, that grants at most {@code credits}}
     *
     * @param credits messages, not negative
     */
    public static int of(int credits) {
        int code = CREDITS.length - 1;
        while (CREDITS[code] > credits) {
            code--;
        }
        return code;
    }
}
