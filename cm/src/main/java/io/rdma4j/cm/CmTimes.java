// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import java.util.concurrent.TimeUnit;

/** Times of the communication manager, from exponents of 4.096 µs. */
final class CmTimes {
    private static final int MAX_ACK_TIMEOUT = 31;
    /** 4.096 µs · 2^8 is about a millisecond. */
    private static final int EXPONENT_OF_MILLISECOND = 8;

    private CmTimes() {}

    /** {@code cm_convert_to_ms}, in nanoseconds: whole milliseconds, at least one. */
    static long nanos(int exponent) {
        return TimeUnit.MILLISECONDS.toNanos(1L << Math.max(exponent - EXPONENT_OF_MILLISECOND, 0));
    }

    /**
     * Local ACK timeout of a queue pair: at least twice the packet lifetime and the ACK delay of the responder.
     * Corresponds to {@code cm_ack_timeout}.
     */
    static int ackTimeout(int ackDelay, int packetLifetime) {
        int roundTrip = packetLifetime + 1;
        int sum = roundTrip >= ackDelay
                ? roundTrip + (ackDelay >= roundTrip - 1 ? 1 : 0)
                : ackDelay + (roundTrip >= ackDelay - 1 ? 1 : 0);
        return Math.min(sum, MAX_ACK_TIMEOUT);
    }
}
