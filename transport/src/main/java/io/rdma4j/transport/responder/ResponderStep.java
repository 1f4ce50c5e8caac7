// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The steps of the responder's ladder in their order, and the verdicts other than {@link Verdict#PASS} that each may
 * return. Corresponds to {@code enum resp_states} of rxe.
 */
public enum ResponderStep {
    /** Reliable: PSN expected, missing, or old. Connected: part of a whole message. Datagram: Q_Key. */
    PLACE(Verdict.SEQUENCE_ERROR, Verdict.HELD, Verdict.DUPLICATE, Verdict.DROP),
    /** First, middle and last packets follow one another. */
    OPCODE_SEQUENCE(Verdict.OPCODE_SEQUENCE),
    /** The queue pair allows the operation. */
    OPERATION(Verdict.UNSUPPORTED_REQUEST),
    /** There is a receive request, or room in the replay table. */
    RESOURCE(
            Verdict.RECEIVER_NOT_READY,
            Verdict.MEMORY_FAULT,
            Verdict.RECEIVE_MALFORMED,
            Verdict.TOO_MANY_REQUESTS,
            Verdict.UNKNOWN_RECEIVE_QUEUE),
    /** The memory that the request names may be accessed. */
    KEY(
            Verdict.REMOTE_ACCESS,
            Verdict.IMMEDIATE_ACCESS,
            Verdict.MISALIGNED_ATOMIC,
            Verdict.BAD_LENGTH,
            Verdict.UNSUPPORTED_REQUEST),
    /** The lengths of packet, message and memory fit. */
    LENGTH(Verdict.BAD_LENGTH, Verdict.RECEIVE_TOO_SHORT),
    /** The bytes are copied. */
    EXECUTE(
            Verdict.RECEIVE_PROTECTION,
            Verdict.MEMORY_FAULT,
            Verdict.REMOTE_ACCESS,
            Verdict.IMMEDIATE_ACCESS,
            Verdict.DROP),
    /** A key is invalidated for the peer. */
    INVALIDATE(Verdict.BAD_INVALIDATION),
    /** The receive request completes. */
    COMPLETE(Verdict.COMPLETION_OVERRUN);

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final Set<Verdict> objections;

    ResponderStep(Verdict first, Verdict... others) {
        this.objections = Collections.unmodifiableSet(EnumSet.of(first, others));
    }

    /** Verdicts with which this step may end the ladder. */
    public Set<Verdict> objections() {
        return objections;
    }

    public boolean mayYield(Verdict verdict) {
        return verdict == Verdict.PASS || objections.contains(verdict);
    }
}
