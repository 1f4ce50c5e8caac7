// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

/**
 * Layout of small messages: they are distributed over a page, each on a separate cache line, as in perftest.
 * Corresponds to {@code increase_loc_addr}.
 *
 * @param strideBytes distance of two messages
 * @param places number of messages before the first place is reused; 1 for messages larger than half a page
 */
record MessageSlots(int strideBytes, int places) {
    static MessageSlots of(int sizeBytes, int pageBytes, int lineBytes) {
        int stride = Math.ceilDiv(sizeBytes, lineBytes) * lineBytes;
        return sizeBytes > pageBytes / 2 ? new MessageSlots(0, 1) : new MessageSlots(stride, pageBytes / stride);
    }

    /** Offset of the message with this number, from 0. */
    long offset(long number) {
        return number % places * strideBytes;
    }
}
