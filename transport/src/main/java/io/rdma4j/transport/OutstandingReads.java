package io.rdma4j.transport;

import io.rdma4j.base.Psn;

/**
 * Requests of this side that an answer of their own must come for: READs, atomics, FLUSH, ATOMIC WRITE, at most
 * {@code max_rd_atomic} of them (IBA 9.7.8). A plain acknowledgement of a later packet does not stand for such an answer.
 *
 * <p>Each owns the PSNs of its answer; they are kept in the order of the wire.
 */
final class OutstandingReads {
    private int[] firstPsns = {};
    private int[] lastPsns = {};
    private int limit;
    private int oldest;
    private int count;

    /** Sets {@code max_rd_atomic}; what is under way stays so, even if it is more. */
    void resize(int maxRdAtomic) {
        limit = maxRdAtomic;
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

    /** True if there may be any: {@code max_rd_atomic} is not 0. */
    boolean isAllowed() {
        return firstPsns.length > 0;
    }

    /** True if one more may be sent. */
    boolean hasRoom() {
        return count < limit;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** A request was sent for the first time; the caller asked {@link #hasRoom}. */
    void add(int firstPsn, int lastPsn) {
        int at = (oldest + count) % firstPsns.length;
        firstPsns[at] = firstPsn;
        lastPsns[at] = lastPsn;
        count++;
    }

    /** All packets before {@code unackedPsn} are answered. */
    void answered(int unackedPsn) {
        while (count > 0 && Psn.isBefore(lastPsns[oldest], unackedPsn)) {
            oldest = (oldest + 1) % firstPsns.length;
            count--;
        }
    }

    /** True if an answer of its own is awaited for {@code psn}, which nobody has answered, and it is the next one due. */
    boolean awaits(int psn) {
        return count > 0 && Psn.isWithin(psn, firstPsns[oldest], lastPsns[oldest]);
    }

    /** Last PSN of the answer that is due next; there is one. */
    int lastAwaitedPsn() {
        return lastPsns[oldest];
    }

    /** Last PSN of the answer that {@code psn} is a part of; it is under way. */
    int lastPsnOf(int psn) {
        for (int i = 0; i < count; i++) {
            int at = (oldest + i) % firstPsns.length;
            if (Psn.isWithin(psn, firstPsns[at], lastPsns[at])) {
                return lastPsns[at];
            }
        }
        throw new IllegalStateException("no answer with packet " + psn + " is under way");
    }

    /** How far a plain acknowledgement of everything before {@code nextPsn} reaches: to the first answer that is missing. */
    int reachOf(int nextPsn, int unackedPsn) {
        if (count == 0) {
            return nextPsn;
        }
        int missing = Psn.isAfter(unackedPsn, firstPsns[oldest]) ? unackedPsn : firstPsns[oldest];
        return Psn.isAfter(nextPsn, missing) ? missing : nextPsn;
    }
}
