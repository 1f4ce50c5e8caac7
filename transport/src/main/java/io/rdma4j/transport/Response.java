package io.rdma4j.transport;

import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Syndrome;

/**
 * The acknowledgement that a responder owes its peer: one slot, because each answer speaks for all packets before it.
 *
 * <p>Requests that arrive in one batch are thus acknowledged together (IBA 9.7.5.1.2 allows it). An ACK never takes the
 * place of a NAK, not even when the packet that the NAK asks for comes after all: those behind it were dropped, unless they
 * were held, and nobody else would ask for them. A later NAK replaces an earlier one, since it speaks for more packets.
 */
final class Response {
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

    /** Forgets an acknowledgement; a NAK stays. */
    void clearAck() {
        if (kind == Kind.ACK) {
            kind = Kind.NONE;
        }
    }

    boolean isOwed() {
        return kind != Kind.NONE;
    }

    /** True if a plain acknowledgement is owed, which nobody waits for who could not wait a little longer. */
    boolean isAck() {
        return kind == Kind.ACK;
    }

    /** True if the answer that is owed speaks for no more packets than a sequence NAK for {@code psn}, which asks for it, too. */
    boolean saysLessThanGapAt(int psn) {
        return kind == Kind.ACK || owesSequenceNak() && nakPsn != psn;
    }

    private boolean owesSequenceNak() {
        return kind == Kind.NAK && syndrome == SEQUENCE_NAK;
    }

    /** What a sequence NAK asks for has come before it was sent, and nothing behind it was dropped. */
    void onGapFilled() {
        if (owesSequenceNak()) {
            kind = Kind.ACK;
        }
    }

    /**
     * The peer asked for an acknowledgement.
     *
     * @return true if an answer was owed already: there will be one for both
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

    /** @param creditCode what an ACK is to say of credits now */
    int syndrome(int creditCode) {
        return kind == Kind.ACK ? Syndrome.ack(creditCode) : syndrome;
    }

    /**
     * A NAK names the first packet that was wanted when it fell due (IBA 9.7.5.1.1).
     *
     * @param acknowledgedPsn what an ACK is to name: see {@link RequestOrder#acknowledgedPsn}
     */
    int psn(int acknowledgedPsn) {
        return kind == Kind.ACK ? acknowledgedPsn : nakPsn;
    }
}
