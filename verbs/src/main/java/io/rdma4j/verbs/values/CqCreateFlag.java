// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/** Options of a completion queue. {@link #bit} is the bit of {@code enum ibv_create_cq_attr_flags}. */
public enum CqCreateFlag {
    /** Only one thread polls the queue, so that the device may omit a lock. */
    SINGLE_THREADED(1),
    /**
     * The application guarantees free entries. The queue does not enter the error state when it is full; completions
     * without a free entry are lost.
     */
    IGNORE_OVERRUN(2);

    private final int bit;

    CqCreateFlag(int bit) {
        this.bit = bit;
    }

    /** {@return the bit in {@code flags}} */
    public int bit() {
        return bit;
    }
}
