package io.rdma4j.verbs;

/** States of a {@link WorkQueue}. Corresponds to {@code enum ibv_wq_state}. */
public enum WqState {
    /** Receives nothing; posted requests are discarded. */
    RESET,
    /** Receives packets. */
    RDY,
    /** Receives nothing; posted requests complete with {@link WcStatus#WR_FLUSH_ERR}. */
    ERR;

    /** {@return the number in C} */
    public int code() {
        return ordinal();
    }
}
