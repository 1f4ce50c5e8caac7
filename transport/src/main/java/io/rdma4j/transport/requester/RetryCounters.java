// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.common.QpCore;

/**
 * The remaining retries of a request before it fails, and the timeout of each (IBA 9.7.5.2.8, 9.7.6.1.3). The counts
 * restart whenever the peer acknowledges something.
 */
final class RetryCounters {
    /** Three-bit RNR retry count that means "without limit"; Linux interprets the other retry count in the same way. */
    private static final int FOREVER = 7;

    /** The timer may run up to four times the timeout (IBA 9.7.6.1.3); it does so from the third try on. */
    private static final int MAX_TIMEOUT_SHIFT = 2;

    private static final int NONE = -1;

    private final QpCore qp;
    private int left;
    private int done;
    private int rnrLeft;
    private int answeredGap = NONE;

    RetryCounters(QpCore qp) {
        this.qp = qp;
        renew();
    }

    /** Resets all counts: packets were acknowledged, or the attributes were set. */
    void renew() {
        restart();
        rnrLeft = qp.connection().rnrRetry();
        answeredGap = NONE;
    }

    /** Resets the retry count for another path, on which nothing was tried yet. */
    void restart() {
        left = qp.connection().retryCount();
        done = 0;
    }

    /** Consumes a retry; false if all are used up. */
    boolean take() {
        if (left == 0) {
            return false;
        }
        boolean endless = qp.options().retrySevenIsForever() && qp.connection().retryCount() == FOREVER;
        if (!endless) {
            left--;
        }
        done++;
        return true;
    }

    /** The same for a peer that is not ready. */
    boolean takeRnr() {
        if (rnrLeft == 0) {
            return false;
        }
        if (rnrLeft != FOREVER) {
            rnrLeft--;
        }
        return true;
    }

    /**
     * Timeout of the current try: each waits longer, as far as the specification allows, since a peer that does not get
     * its CPU for half a second has not failed.
     */
    long timeoutNs() {
        return qp.connection().ackTimeoutNs() << Math.min(done, MAX_TIMEOUT_SHIFT);
    }

    /**
     * Notes that packet {@code psn} is missing; false if a retry has already handled that gap, since the report is then
     * a duplicate.
     */
    boolean takeGap(int psn) {
        if (psn == answeredGap) {
            return false;
        }
        answeredGap = psn;
        return true;
    }

    /** Forgets the handled gap after a timeout: the next report of a gap is handled again. */
    void forgetGap() {
        answeredGap = NONE;
    }
}
