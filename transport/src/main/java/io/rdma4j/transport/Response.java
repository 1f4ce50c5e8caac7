package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.wire.CreditCode;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Syndrome;

/**
 * The acknowledgement that a responder owes its peer: one slot, because each answer speaks for all packets before it.
 *
 * <p>Requests that arrive in one batch are thus acknowledged together (IBA 9.7.5.1.2 allows it). A NAK that ends the
 * connection is never replaced; a NAK that asks for a packet again is, when that packet comes after all.
 */
final class Response {
    private enum Kind {
        NONE,
        ACK,
        TRANSIENT_NAK,
        FATAL_NAK
    }

    private Kind kind = Kind.NONE;
    private int syndrome;

    void clear() {
        kind = Kind.NONE;
    }

    boolean isOwed() {
        return kind != Kind.NONE;
    }

    /**
     * The peer asked for an acknowledgement.
     *
     * @return true if one was owed already: this one speaks for both
     */
    boolean oweAck() {
        boolean merged = kind == Kind.ACK;
        if (kind != Kind.FATAL_NAK) {
            kind = Kind.ACK;
            syndrome = Syndrome.ack(CreditCode.UNLIMITED);
        }
        return merged;
    }

    void oweRnrNak(int timerCode) {
        kind = Kind.TRANSIENT_NAK;
        syndrome = Syndrome.rnrNak(timerCode);
    }

    void oweNak(NakCode code, boolean fatal) {
        kind = fatal ? Kind.FATAL_NAK : Kind.TRANSIENT_NAK;
        syndrome = Syndrome.nak(code);
    }

    /** The packet that a NAK not yet sent asks for has come. */
    void forgetTransientNak() {
        if (kind == Kind.TRANSIENT_NAK) {
            kind = Kind.NONE;
        }
    }

    int syndrome() {
        return syndrome;
    }

    /** An ACK names the last packet received, a NAK the first one wanted (IBA 9.7.5.1.1). */
    int psn(int expectedPsn) {
        return kind == Kind.ACK ? Psn.previous(expectedPsn) : expectedPsn;
    }
}
