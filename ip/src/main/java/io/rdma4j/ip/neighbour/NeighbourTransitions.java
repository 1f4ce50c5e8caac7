// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import static io.rdma4j.ip.neighbour.NeighbourEvent.*;
import static io.rdma4j.ip.neighbour.NeighbourState.*;

/**
 * Transitions between the states of a neighbour, one line each (RFC 4861, 7.3.2 and appendix C, as in {@code
 * neigh_update} and {@code neigh_timer_handler}). Without a line, the state stays the same. PERMANENT has no
 * transitions.
 */
final class NeighbourTransitions {
    private static final int EVENTS = NeighbourEvent.values().length;
    private static final NeighbourState[][] NEXT = new NeighbourState[NeighbourState.values().length][EVENTS];

    static {
        for (NeighbourState state : NeighbourState.values()) {
            for (NeighbourEvent event : NeighbourEvent.values()) {
                arrow(state, event, state);
            }
        }
        arrow(NONE, SEND, INCOMPLETE);
        arrow(FAILED, SEND, INCOMPLETE);
        arrow(STALE, SEND, DELAY);

        arrow(NONE, CONFIRMED, REACHABLE);
        arrow(INCOMPLETE, CONFIRMED, REACHABLE);
        arrow(STALE, CONFIRMED, REACHABLE);
        arrow(DELAY, CONFIRMED, REACHABLE);
        arrow(PROBE, CONFIRMED, REACHABLE);
        arrow(FAILED, CONFIRMED, REACHABLE);

        arrow(NONE, HEARD, STALE);
        arrow(INCOMPLETE, HEARD, STALE);
        arrow(FAILED, HEARD, STALE);

        arrow(REACHABLE, MOVED, STALE);
        arrow(DELAY, MOVED, STALE);
        arrow(PROBE, MOVED, STALE);

        arrow(REACHABLE, DOUBTED, STALE);

        arrow(REACHABLE, EXPIRED_IDLE, STALE);
        arrow(REACHABLE, EXPIRED_IN_USE, DELAY);
        arrow(DELAY, DELAY_OVER, PROBE);
        arrow(INCOMPLETE, UNANSWERED, FAILED);
        arrow(PROBE, UNANSWERED, FAILED);
    }

    private NeighbourTransitions() {}

    private static void arrow(NeighbourState from, NeighbourEvent event, NeighbourState to) {
        NEXT[from.ordinal()][event.ordinal()] = to;
    }

    /** Returns the state after {@code event}, which may be the same. */
    static NeighbourState after(NeighbourState state, NeighbourEvent event) {
        return NEXT[state.ordinal()][event.ordinal()];
    }
}
