package io.rdma4j.transport;

/**
 * How often a request may still be sent again before it fails, and how long each try waits (IBA 9.7.5.2.8, 9.7.6.1.3). The
 * counts begin anew whenever the peer acknowledges something.
 */
final class Retries {
    /** Three-bit RNR retry count that means "for ever"; Linux reads the other retry count so, too. */
    private static final int FOREVER = 7;

    /** The timer may run up to four times the timeout (IBA 9.7.6.1.3); it does so from the third try on. */
    private static final int MAX_TIMEOUT_SHIFT = 2;

    private static final int NONE = -1;

    private final QpEngine qp;
    private int left;
    private int done;
    private int rnrLeft;
    private int answeredGap = NONE;

    Retries(QpEngine qp) {
        this.qp = qp;
    }

    /** Packets were acknowledged, or the attributes set anew. */
    void renew() {
        restart();
        rnrLeft = qp.connection().rnrRetry();
        answeredGap = NONE;
    }

    /** There is another path, on which nothing was tried yet. */
    void restart() {
        left = qp.connection().retryCount();
        done = 0;
    }

    /** False if all retries are used up. */
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
     * How long the try under way waits for an answer: each waits longer, as far as the specification allows, since a peer
     * that does not get its CPU for half a second is not a dead one.
     */
    long timeoutNs() {
        return qp.connection().ackTimeoutNs() << Math.min(done, MAX_TIMEOUT_SHIFT);
    }

    /** The same for packet {@code psn} that is missing: false if a retry has answered to that, for then it is a stray that says so. */
    boolean takeGap(int psn) {
        if (psn == answeredGap) {
            return false;
        }
        answeredGap = psn;
        return true;
    }

    /** Nobody has answered: what is said of a gap from now on is said anew. */
    void forgetGap() {
        answeredGap = NONE;
    }
}
