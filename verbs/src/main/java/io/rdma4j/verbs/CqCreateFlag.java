package io.rdma4j.verbs;

/** How a completion queue is to behave; {@link #bit} is the bit of {@code enum ibv_create_cq_attr_flags}. */
public enum CqCreateFlag {
    /** One thread polls it, so a device may do without a lock. */
    SINGLE_THREADED(1),
    /**
     * The program sees to it that there is always room: a full queue does not break. If the program was wrong, completions that
     * find no room are lost.
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
