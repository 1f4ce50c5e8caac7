package io.rdma4j.verbs;

/** Life cycle of a {@link WorkQueue}. Answers to {@code enum ibv_wq_state}. */
public enum WqState {
    /** Takes nothing; what was posted is gone. */
    RESET,
    /** Takes what arrives. */
    RDY,
    /** Takes nothing; what was posted completes with {@link WcStatus#WR_FLUSH_ERR}. */
    ERR;

    /** {@return the number in C} */
    public int code() {
        return ordinal();
    }

    /** Back to the beginning it goes from everywhere; into error only if it was ready. */
    boolean leadsTo(WqState next) {
        return switch (next) {
            case RESET -> true;
            case RDY -> this == RESET;
            case ERR -> this == RDY;
        };
    }
}
