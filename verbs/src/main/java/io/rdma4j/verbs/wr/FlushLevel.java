// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

/**
 * Scope of a FLUSH. Corresponds to {@code enum ib_selectivity_level}, {@code IBV_FLUSH_RANGE} and {@code IBV_FLUSH_MR}.
 */
public enum FlushLevel {
    /** The addressed range of bytes. */
    RANGE,
    /** The whole memory region of the R_Key. */
    MR;

    /** {@return the value of the C constant, also used in packets} */
    public int code() {
        return ordinal();
    }
}
