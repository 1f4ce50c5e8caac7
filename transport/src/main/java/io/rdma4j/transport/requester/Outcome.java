// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.responder.Verdict;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.NakCode;
import org.jspecify.annotations.Nullable;

/**
 * Result of a step of the completer's ladder for a response (IBA 9.7.5.2, 9.9.2), as {@link Verdict} is for requests.
 * The columns: the status with which the oldest request ends, and the effect on the queue pair, at once or when no
 * retry is left.
 */
public enum Outcome {
    /** The next step follows. */
    PASS,
    /** The response is processed completely, or was before. */
    DONE,
    /** It refers to nothing that was sent, or its syndrome is unknown: dropped and counted. */
    DROP,
    /** Packets or responses were lost: all that is unacknowledged is sent again, {@code retry_cnt} times. */
    GAP(WcStatus.RETRY_EXC_ERR, Effect.RETRY),
    /**
     * The peer has no receive request posted: all that is unacknowledged is sent again after a delay, {@code rnr_retry}
     * times.
     */
    PEER_NOT_READY(WcStatus.RNR_RETRY_EXC_ERR, Effect.RETRY),
    /** The peer does not understand the request, or does not support it. */
    REFUSED_REQUEST(WcStatus.REM_INV_REQ_ERR, Effect.ERROR),
    /** The peer denies access to its memory. */
    REFUSED_ACCESS(WcStatus.REM_ACCESS_ERR, Effect.ERROR),
    /** The peer has an error of its own. */
    REFUSED_OPERATION(WcStatus.REM_OP_ERR, Effect.ERROR),
    /** The response does not match the request, or has another length. */
    BAD_RESPONSE(WcStatus.BAD_RESP_ERR, Effect.ERROR),
    /** The memory for the payload of the response is not registered, or not writable. */
    LANDING_PROTECTION(WcStatus.LOC_PROT_ERR, Effect.ERROR),
    /** The key that a READ was to invalidate cannot be invalidated. */
    BAD_INVALIDATION(WcStatus.MW_BIND_ERR, Effect.ERROR),
    /** The completion queue is broken; the queue pair raises QP_FATAL. */
    COMPLETION_OVERRUN(null, Effect.ERROR);

    private enum Effect {
        NONE,
        RETRY,
        ERROR
    }

    private final @Nullable WcStatus status;
    private final Effect effect;

    Outcome() {
        this(null, Effect.NONE);
    }

    Outcome(@Nullable WcStatus status, Effect effect) {
        this.status = status;
        this.effect = effect;
    }

    /** The outcome for a NAK. */
    public static Outcome of(NakCode code) {
        return switch (code) {
            case PSN_SEQUENCE_ERROR -> GAP;
            case REMOTE_ACCESS_ERROR -> REFUSED_ACCESS;
            case REMOTE_OPERATIONAL_ERROR -> REFUSED_OPERATION;
            case INVALID_REQUEST, INVALID_RD_REQUEST -> REFUSED_REQUEST;
        };
    }

    /** Status with which the oldest request ends; null if it does not end, or has ended. */
    @Nullable
    public WcStatus status() {
        return status;
    }

    /** True if the request is retried a number of times before it fails. */
    public boolean isRetried() {
        return effect == Effect.RETRY;
    }

    /** True if the queue pair goes to ERR; for an outcome that is retried, when no retry is left. */
    public boolean isFatal() {
        return effect != Effect.NONE;
    }
}
