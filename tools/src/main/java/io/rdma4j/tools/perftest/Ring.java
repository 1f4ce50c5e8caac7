package io.rdma4j.tools.perftest;

/**
 * Small messages do not all lie at the same place: they go round in a page, each on a cache line of its own, as in perftest.
 * Answers to {@code increase_loc_addr}.
 *
 * @param strideBytes from one message to the next
 * @param places until it begins anew; 1 for messages larger than half a page
 */
record Ring(int strideBytes, int places) {
    static Ring of(int sizeBytes, int pageBytes, int lineBytes) {
        int stride = Math.ceilDiv(sizeBytes, lineBytes) * lineBytes;
        return sizeBytes > pageBytes / 2 ? new Ring(0, 1) : new Ring(stride, pageBytes / stride);
    }

    /** Where the message of this number lies, from 0. */
    long offset(long number) {
        return number % places * strideBytes;
    }
}
