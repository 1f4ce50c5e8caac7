package io.rdma4j.net.ip;

import static io.rdma4j.net.ip.NeighbourEvent.*;
import static io.rdma4j.net.ip.NeighbourState.*;

/**
 * The ways between the states of a neighbour (RFC 4861, 7.3.2 and appendix C, as {@code neigh_update} and
 * {@code neigh_timer_handler} have them), a line per arrow. Where there is no line, nothing changes; from PERMANENT no way leads.
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

    /** The state after {@code event}; the same if it changes nothing. */
    static NeighbourState after(NeighbourState state, NeighbourEvent event) {
        return NEXT[state.ordinal()][event.ordinal()];
    }
}
