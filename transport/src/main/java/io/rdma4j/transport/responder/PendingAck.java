// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Syndrome;

/**
 * The pending acknowledgement of a responder: one slot, because each acknowledgement covers all packets before it.
 *
 * <p>Requests that arrive in one batch are acknowledged together (IBA 9.7.5.1.2 allows it). An ACK never replaces a
 * NAK, even if the packet that the NAK asks for arrives later. The packets behind it were dropped, unless they were
 * held, and only the NAK makes the peer send them again. A later NAK replaces an earlier one, since it covers more
 * packets.
 */
final class PendingAck {
    private enum Kind {
        NONE,
        ACK,
        NAK
    }

    private static final int SEQUENCE_NAK = Syndrome.nak(NakCode.PSN_SEQUENCE_ERROR);

    private Kind kind = Kind.NONE;
    private int syndrome;
    private int nakPsn;

    void clear() {
        kind = Kind.NONE;
    }

    /** Discards an acknowledgement; a NAK stays. */
    void clearAck() {
        if (kind == Kind.ACK) {
            kind = Kind.NONE;
        }
    }

    boolean isOwed() {
        return kind != Kind.NONE;
    }

    /** True if a plain acknowledgement is pending, which may be delayed. */
    boolean isAck() {
        return kind == Kind.ACK;
    }

    /**
     * True if the pending response covers no more packets than a sequence NAK for {@code psn}, which reports them, too.
     */
    boolean saysLessThanGapAt(int psn) {
        return kind == Kind.ACK || owesSequenceNak() && nakPsn != psn;
    }

    private boolean owesSequenceNak() {
        return kind == Kind.NAK && syndrome == SEQUENCE_NAK;
    }

    /**
     * Handles that the packet that a sequence NAK asks for arrived before the NAK was sent, and nothing behind it was
     * dropped.
     */
    void onGapFilled() {
        if (owesSequenceNak()) {
            kind = Kind.ACK;
        }
    }

    /**
     * Handles that the peer requested an acknowledgement.
     *
     * @return true if a response was already pending: one response covers both
     */
    boolean oweAck() {
        if (kind != Kind.NONE) {
            return true;
        }
        kind = Kind.ACK;
        return false;
    }

    void oweRnrNak(int timerCode, int psn) {
        oweNak(Syndrome.rnrNak(timerCode), psn);
    }

    void oweNak(NakCode code, int psn) {
        oweNak(Syndrome.nak(code), psn);
    }

    private void oweNak(int nakSyndrome, int psn) {
        kind = Kind.NAK;
        syndrome = nakSyndrome;
        nakPsn = psn;
    }

    /** @param creditCode the current credits, for an ACK */
    int syndrome(int creditCode) {
        return kind == Kind.ACK ? Syndrome.ack(creditCode) : syndrome;
    }

    /**
     * PSN of the response. A NAK names the first packet that was expected when it became due (IBA 9.7.5.1.1).
     *
     * @param acknowledgedPsn the PSN of an ACK: see {@link RequestOrder#acknowledgedPsn}
     */
    int psn(int acknowledgedPsn) {
        return kind == Kind.ACK ? acknowledgedPsn : nakPsn;
    }
}
