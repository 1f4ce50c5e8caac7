// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

/** State of the alternate path of an established connection. Corresponds to {@code enum ib_cm_lap_state}. */
public enum LapState {
    /** The queue pair has the attributes of the exchange of REQ and REP. */
    LAP_UNINIT,
    /** An alternate path was loaded, or became the primary path. */
    LAP_IDLE,
    /** The LAP is sent. */
    LAP_SENT,
    /** A LAP was received. */
    LAP_RCVD,
    /** Asked for more time to answer the LAP. */
    MRA_LAP_SENT,
    /** The peer asked for more time to answer the LAP. */
    MRA_LAP_RCVD
}
