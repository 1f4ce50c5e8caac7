// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

/** State of a {@link CmId}. Corresponds to {@code enum ib_cm_state}. */
public enum CmState {
    /** No connection, or no longer one. */
    IDLE,
    /** Waits for requests to a service ID. */
    LISTEN,
    /** Active side: the REQ is sent. */
    REQ_SENT,
    /** Passive side: a REQ was received. */
    REQ_RCVD,
    /** Passive side: asked for more time to answer the REQ. */
    MRA_REQ_SENT,
    /** Active side: the peer asked for more time to answer the REQ. */
    MRA_REQ_RCVD,
    /** Passive side: the REP is sent. */
    REP_SENT,
    /** Active side: a REP was received. */
    REP_RCVD,
    /** Active side: asked for more time to answer the REP. */
    MRA_REP_SENT,
    /** Passive side: the peer asked for more time to answer the REP. */
    MRA_REP_RCVD,
    /** Connected. */
    ESTABLISHED,
    /** The DREQ is sent. */
    DREQ_SENT,
    /** A DREQ was received. */
    DREQ_RCVD,
    /** Disconnected; late messages of the connection may still arrive. */
    TIMEWAIT,
    /** The SIDR_REQ is sent. */
    SIDR_REQ_SENT,
    /** A SIDR_REQ was received. */
    SIDR_REQ_RCVD
}
