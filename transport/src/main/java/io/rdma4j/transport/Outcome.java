package io.rdma4j.transport;

import io.rdma4j.verbs.WcStatus;
import io.rdma4j.wire.NakCode;
import org.jspecify.annotations.Nullable;

/**
 * What a step of the completer's ladder says of an answer (IBA 9.7.5.2, 9.9.2), as {@link Verdict} is for requests. The
 * columns: how the oldest request ends, and what becomes of the queue pair, at once or when nothing is left to retry.
 */
enum Outcome {
    /** The step is content; the next one follows. */
    PASS,
    /** All that the answer says has been heard, now or before. */
    DONE,
    /** It speaks of nothing that was sent, or in words that nobody knows: counted. */
    DROP,
    /** Packets or answers were lost: all that is unacknowledged is sent again, {@code retry_cnt} times. */
    GAP(WcStatus.RETRY_EXC_ERR, Effect.RETRY),
    /** No receive request is posted there: all that is unacknowledged is sent again after a while, {@code rnr_retry} times. */
    PEER_NOT_READY(WcStatus.RNR_RETRY_EXC_ERR, Effect.RETRY),
    /** The peer cannot make sense of the request, or does not serve it. */
    REFUSED_REQUEST(WcStatus.REM_INV_REQ_ERR, Effect.ERROR),
    /** The peer's memory may not be used so. */
    REFUSED_ACCESS(WcStatus.REM_ACCESS_ERR, Effect.ERROR),
    /** The peer is at fault itself. */
    REFUSED_OPERATION(WcStatus.REM_OP_ERR, Effect.ERROR),
    /** The answer is not one to what was asked, or of another length. */
    BAD_RESPONSE(WcStatus.BAD_RESP_ERR, Effect.ERROR),
    /** The memory for what the answer brings is not registered, or not for writing. */
    LANDING_PROTECTION(WcStatus.LOC_PROT_ERR, Effect.ERROR),
    /** The key that a READ was to take back is none that may be. */
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

    /** What a NAK means. */
    static Outcome of(NakCode code) {
        return switch (code) {
            case PSN_SEQUENCE_ERROR -> GAP;
            case REMOTE_ACCESS_ERROR -> REFUSED_ACCESS;
            case REMOTE_OPERATIONAL_ERROR -> REFUSED_OPERATION;
            case INVALID_REQUEST, INVALID_RD_REQUEST -> REFUSED_REQUEST;
        };
    }

    /** How the oldest request ends; null if it does not, or has ended. */
    @Nullable
    WcStatus status() {
        return status;
    }

    /** True if there is a number of times for which nobody hears of it. */
    boolean isRetried() {
        return effect == Effect.RETRY;
    }

    /** True if the queue pair goes to ERR, for one that is retried when no try is left. */
    boolean isFatal() {
        return effect != Effect.NONE;
    }
}
