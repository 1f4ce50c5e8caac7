package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.wire.Operation;

/**
 * A request whose answer the peer may ask for again: READ, atomic, FLUSH, ATOMIC WRITE; answers to {@code resp_res} of rxe.
 *
 * <p>A READ is carried out anew for each answer, everything else once: its outcome is kept here (IBA 9.7.5.1.3).
 */
final class ReplayEntry {
    Operation operation = Operation.READ_REQUEST;
    /** The PSNs that the answer takes. */
    int firstPsn;

    int lastPsn;
    /** What a READ reads. */
    long address;

    int rkey;
    long length;
    Object protectionDomain = this;
    /** The value from before an atomic. */
    long original;
    /** True while some of the answer is to be sent. */
    boolean owed;
    /** True once the whole answer was sent: what is owed now is a repetition. */
    boolean wasAnswered;
    /** Where the answer under way began: at the first PSN, or where the peer asked for the rest. */
    int startPsn;
    /** PSN of the next packet of the answer. */
    int nextPsn;
    /** The peer does not read what it reads in place, though the path would allow it. */
    boolean isCopied;

    /** A new request, whose answer is to be sent. */
    void begin(Operation asked, int psn, int psns) {
        operation = asked;
        firstPsn = psn;
        lastPsn = Psn.add(psn, psns - 1);
        wasAnswered = false;
        isCopied = false;
        oweFrom(psn);
    }

    boolean covers(int psn) {
        return Psn.isWithin(psn, firstPsn, lastPsn);
    }

    /** The answer is to be sent, from {@code psn} on. */
    void oweFrom(int psn) {
        owed = true;
        startPsn = psn;
        nextPsn = psn;
    }

    /** Packets of the answer not sent yet. */
    int packetsLeft() {
        return Psn.distance(lastPsn, nextPsn) + 1;
    }

    /** {@code count} packets of the answer were sent. */
    void sent(int count) {
        owed = count < packetsLeft();
        wasAnswered |= !owed;
        nextPsn = Psn.add(nextPsn, count);
    }
}
