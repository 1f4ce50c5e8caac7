package io.rdma4j.transport;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The rungs of the completer's ladder, in their order, and what each may say besides {@link Outcome#PASS}. Answers to
 * {@code enum comp_state} of rxe.
 */
enum CompleterStep {
    /** It answers packets that were sent and are not long acknowledged. */
    PLACE(Outcome.DROP),
    /** An acknowledgement is one that the specification knows. */
    SYNDROME(Outcome.DROP),
    /** Requests before it complete, since all their packets have arrived; unless an answer of their own is missing. */
    ACKNOWLEDGE(Outcome.DONE, Outcome.GAP, Outcome.BAD_INVALIDATION, Outcome.COMPLETION_OVERRUN),
    /** It speaks of the oldest packet that is not acknowledged. */
    TURN(Outcome.DONE),
    /** A NAK says why. */
    REFUSAL(
            Outcome.DONE,
            Outcome.GAP,
            Outcome.PEER_NOT_READY,
            Outcome.REFUSED_REQUEST,
            Outcome.REFUSED_ACCESS,
            Outcome.REFUSED_OPERATION),
    /** It is the kind of answer that the oldest request waits for, as long as it must be. */
    MATCH(Outcome.BAD_RESPONSE),
    /** What it brings goes to memory; of a peer on this machine it may be gone. */
    LAND(Outcome.DROP, Outcome.LANDING_PROTECTION),
    /** The request that it answers completes, if that was all. */
    COMPLETE(Outcome.BAD_INVALIDATION, Outcome.COMPLETION_OVERRUN);

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final Set<Outcome> objections;

    CompleterStep(Outcome first, Outcome... others) {
        this.objections = Collections.unmodifiableSet(EnumSet.of(first, others));
    }

    /** What it may say if the ladder ends here. */
    Set<Outcome> objections() {
        return objections;
    }

    boolean mayYield(Outcome outcome) {
        return outcome == Outcome.PASS || objections.contains(outcome);
    }
}
