// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

/** Event that changes the {@link NeighbourState} of a neighbour. */
enum NeighbourEvent {
    /** A packet is sent to it ({@code neigh_event_send}). */
    SEND,
    /** It replied to our solicitation. */
    CONFIRMED,
    /** An unsolicited packet showed its link address, either the known one or for the first time. */
    HEARD,
    /** An unsolicited packet showed another link address, which replaces the known one. */
    MOVED,
    /**
     * A packet showed another link address, which does not replace the known one ({@code
     * NEIGH_UPDATE_F_WEAK_OVERRIDE}).
     */
    DOUBTED,
    /** The reachable time is over, and no packet was sent lately. */
    EXPIRED_IDLE,
    /** The reachable time is over, and packets are being sent. */
    EXPIRED_IN_USE,
    /** The delay before the first probe is over, without a sign of reachability. */
    DELAY_OVER,
    /** The maximum number of solicitations was sent without a reply. */
    UNANSWERED
}
