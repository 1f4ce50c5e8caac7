// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.base.Psn;
import io.rdma4j.wire.Operation;

/**
 * A request whose response the peer may ask for again: READ, atomic, FLUSH, ATOMIC WRITE. Corresponds to
 * {@code resp_res} of rxe.
 *
 * <p>A READ is executed again for each response, every other request once: its result is kept here (IBA 9.7.5.1.3).
 */
final class ReplayEntry {
    Operation operation = Operation.READ_REQUEST;
    /** The PSNs of the response. */
    int firstPsn;

    int lastPsn;
    /** The memory that a READ reads. */
    long address;

    int rkey;
    long length;
    Object protectionDomain = this;
    /** The original value of an atomic. */
    long original;
    /** True while part of the response is to be sent. */
    boolean owed;
    /** True once the whole response was sent: what is sent now is a duplicate. */
    boolean wasAnswered;
    /**
     * First PSN of the current transmission: that of the response, or the one from which the peer asked for the rest.
     */
    int startPsn;
    /** PSN of the next packet of the response. */
    int nextPsn;
    /** The peer does not read the data in place, although the path would allow it. */
    boolean isCopied;

    /** Starts the entry of a new request, whose response is to be sent. */
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

    /** Schedules the response from {@code psn} on. */
    void oweFrom(int psn) {
        owed = true;
        startPsn = psn;
        nextPsn = psn;
    }

    /** Packets of the response not sent yet. */
    int packetsLeft() {
        return Psn.distance(lastPsn, nextPsn) + 1;
    }

    /** Counts {@code count} packets of the response that were sent. */
    void sent(int count) {
        owed = count < packetsLeft();
        wasAnswered |= !owed;
        nextPsn = Psn.add(nextPsn, count);
    }
}
