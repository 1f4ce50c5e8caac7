// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/** States of a {@link io.rdma4j.verbs.WorkQueue}. Corresponds to {@code enum ibv_wq_state}. */
public enum WqState {
    /** Receives nothing; posted requests are discarded. */
    RESET,
    /** Receives packets. */
    RDY,
    /** Receives nothing; posted requests complete with {@link io.rdma4j.verbs.wr.WcStatus#WR_FLUSH_ERR}. */
    ERR;

    /** {@return the number in C} */
    public int code() {
        return ordinal();
    }
}
