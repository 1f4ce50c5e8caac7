// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The steps of the completer's ladder in their order, and the outcomes other than {@link Outcome#PASS} that each may
 * return. Corresponds to {@code enum comp_state} of rxe.
 */
public enum CompleterStep {
    /** The response refers to packets that were sent and are not long acknowledged. */
    PLACE(Outcome.DROP),
    /** The syndrome of an acknowledgement is defined in the specification. */
    SYNDROME(Outcome.DROP),
    /**
     * Requests before it complete, since all their packets have arrived, unless the response to one of them is missing.
     */
    ACKNOWLEDGE(Outcome.DONE, Outcome.GAP, Outcome.BAD_INVALIDATION, Outcome.COMPLETION_OVERRUN),
    /** It refers to the oldest unacknowledged packet. */
    TURN(Outcome.DONE),
    /** A NAK carries an error code. */
    REFUSAL(
            Outcome.DONE,
            Outcome.GAP,
            Outcome.PEER_NOT_READY,
            Outcome.REFUSED_REQUEST,
            Outcome.REFUSED_ACCESS,
            Outcome.REFUSED_OPERATION),
    /** It has the kind and the length that the oldest request expects. */
    MATCH(Outcome.BAD_RESPONSE),
    /** Its payload is copied to memory; the payload of a peer on this machine may be gone. */
    LAND(Outcome.DROP, Outcome.LANDING_PROTECTION),
    /** The request completes, if this was the last packet of its response. */
    COMPLETE(Outcome.BAD_INVALIDATION, Outcome.COMPLETION_OVERRUN);

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final Set<Outcome> objections;

    CompleterStep(Outcome first, Outcome... others) {
        this.objections = Collections.unmodifiableSet(EnumSet.of(first, others));
    }

    /** Outcomes with which this step may end the ladder. */
    public Set<Outcome> objections() {
        return objections;
    }

    public boolean mayYield(Outcome outcome) {
        return outcome == Outcome.PASS || objections.contains(outcome);
    }
}
