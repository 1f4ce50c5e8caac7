// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

/** What changes the state of a {@link CmId}: a call, a message of the peer, or a timer. */
public enum CmTrigger {
    /** {@link CmId#listen}. */
    LISTEN(Kind.CALL),
    /** {@link CmId#sendReq}. */
    SEND_REQ(Kind.CALL),
    /** {@link CmId#sendRep}. */
    SEND_REP(Kind.CALL),
    /** {@link CmId#sendRtu}. */
    SEND_RTU(Kind.CALL),
    /** {@link CmId#sendMra}. */
    SEND_MRA(Kind.CALL),
    /** {@link CmId#sendRej}. */
    SEND_REJ(Kind.CALL),
    /** {@link CmId#sendDreq}. */
    SEND_DREQ(Kind.CALL),
    /** {@link CmId#sendDrep}. */
    SEND_DREP(Kind.CALL),
    /** {@link CmId#sendSidrReq}. */
    SEND_SIDR_REQ(Kind.CALL),
    /** {@link CmId#sendSidrRep}. */
    SEND_SIDR_REP(Kind.CALL),
    /** {@link CmId#establish}: the first packet of the peer has arrived. */
    COMM_EST(Kind.CALL),
    /** {@link CmId#destroy}. */
    DESTROY(Kind.CALL),
    /** {@link CmId#pathMigrated}. */
    PATH_MIG(Kind.CALL),
    /** {@link CmId#sendLap}. */
    SEND_LAP(Kind.CALL),
    /** {@link CmId#sendApr}. */
    SEND_APR(Kind.CALL),
    /** A REQ for a listener, which makes a new id. */
    REQ(Kind.MESSAGE),
    /** The REQ of the peer in a peer-to-peer establishment, and the peer is the active side. */
    PEER_REQ(Kind.MESSAGE),
    /** A REQ of a connection that exists. */
    REPEATED_REQ(Kind.MESSAGE),
    /** An MRA for a REQ. */
    MRA_OF_REQ(Kind.MESSAGE),
    /** An MRA for a REP. */
    MRA_OF_REP(Kind.MESSAGE),
    /** A REP. */
    REP(Kind.MESSAGE),
    /** An RTU. */
    RTU(Kind.MESSAGE),
    /** A REJ. */
    REJ(Kind.MESSAGE),
    /** A REJ with the reason "stale connection". */
    REJ_STALE(Kind.MESSAGE),
    /** A DREQ. */
    DREQ(Kind.MESSAGE),
    /** A DREP. */
    DREP(Kind.MESSAGE),
    /** A SIDR_REQ for a listener, which makes a new id. */
    SIDR_REQ(Kind.MESSAGE),
    /** A SIDR_REP. */
    SIDR_REP(Kind.MESSAGE),
    /** A LAP. */
    LAP(Kind.MESSAGE),
    /** A LAP that was received before. */
    REPEATED_LAP(Kind.MESSAGE),
    /** An MRA for a LAP. */
    MRA_OF_LAP(Kind.MESSAGE),
    /** An APR. */
    APR(Kind.MESSAGE),
    /** The peer answered none of the repeated messages. */
    NO_RESPONSE(Kind.TIMER),
    /** The time-wait is over. */
    TIMEWAIT_OVER(Kind.TIMER);

    /** Origin of a trigger. */
    public enum Kind {
        /** A call of the program; wrong in a state without transition. */
        CALL,
        /** A message of the peer; dropped in a state without transition. */
        MESSAGE,
        /** A timer of the id. */
        TIMER
    }

    private final Kind kind;

    CmTrigger(Kind kind) {
        this.kind = kind;
    }

    /** {@return call, message or timer} */
    public Kind kind() {
        return kind;
    }
}
