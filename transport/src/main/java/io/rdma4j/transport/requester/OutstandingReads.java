// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Psn;

/**
 * Outstanding requests of this side that require their own response: READs, atomics, FLUSH, ATOMIC WRITE, at most
 * {@code max_rd_atomic} of them (IBA 9.7.8). A plain acknowledgement of a later packet does not replace such a
 * response.
 *
 * <p>Each request owns the PSNs of its response; they are kept in the order of the PSNs.
 */
final class OutstandingReads {
    private static final int[] NONE = {};

    /** Allocated when the first request is sent. */
    private int[] firstPsns = NONE;

    private int[] lastPsns = NONE;
    private int limit;
    private int oldest;
    private int count;

    /** @param limit {@code max_rd_atomic} */
    OutstandingReads(int limit) {
        this.limit = limit;
    }

    /** Sets {@code max_rd_atomic}; outstanding requests stay so, even if they are more. */
    void resize(int maxRdAtomic) {
        limit = maxRdAtomic;
        if (firstPsns.length > 0) {
            move();
        }
    }

    /** Moves to arrays for {@link #limit} requests, or for those that are outstanding if they are more. */
    private void move() {
        int places = Math.max(limit, count);
        int[] firsts = new int[places];
        int[] lasts = new int[places];
        for (int i = 0; i < count; i++) {
            int from = (oldest + i) % firstPsns.length;
            firsts[i] = firstPsns[from];
            lasts[i] = lastPsns[from];
        }
        firstPsns = firsts;
        lastPsns = lasts;
        oldest = 0;
    }

    /** True if such requests are allowed: {@code max_rd_atomic} is not 0. */
    boolean isAllowed() {
        return limit > 0 || count > 0;
    }

    /** True if one more may be sent. */
    boolean hasRoom() {
        return count < limit;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Adds a request that was sent for the first time; the caller has checked {@link #hasRoom}. */
    void add(int firstPsn, int lastPsn) {
        if (firstPsns.length == 0) {
            move();
        }
        int at = (oldest + count) % firstPsns.length;
        firstPsns[at] = firstPsn;
        lastPsns[at] = lastPsn;
        count++;
    }

    /** Handles that all packets before {@code unackedPsn} are acknowledged. */
    void answered(int unackedPsn) {
        while (count > 0 && Psn.isBefore(lastPsns[oldest], unackedPsn)) {
            oldest = (oldest + 1) % firstPsns.length;
            count--;
        }
    }

    /** True if {@code psn}, which is not acknowledged, belongs to the next expected response. */
    boolean awaits(int psn) {
        return count > 0 && Psn.isWithin(psn, firstPsns[oldest], lastPsns[oldest]);
    }

    /** Last PSN of the next expected response; there is one. */
    int lastAwaitedPsn() {
        return lastPsns[oldest];
    }

    /** Last PSN of the response that {@code psn} belongs to; the request is outstanding. */
    int lastPsnOf(int psn) {
        for (int i = 0; i < count; i++) {
            int at = (oldest + i) % firstPsns.length;
            if (Psn.isWithin(psn, firstPsns[at], lastPsns[at])) {
                return lastPsns[at];
            }
        }
        throw new IllegalStateException("no answer with packet " + psn + " is under way");
    }

    /**
     * The PSN up to which a plain acknowledgement of everything before {@code nextPsn} counts: up to the first missing
     * response.
     */
    int reachOf(int nextPsn, int unackedPsn) {
        if (count == 0) {
            return nextPsn;
        }
        int missing = Psn.isAfter(unackedPsn, firstPsns[oldest]) ? unackedPsn : firstPsns[oldest];
        return Psn.isAfter(nextPsn, missing) ? missing : nextPsn;
    }
}
