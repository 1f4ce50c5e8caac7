package io.rdma4j.verbs;

import java.util.Set;

/** Peculiarities of a queue pair that are fixed at creation. Answers to {@code enum ib_qp_create_flags}. */
public enum QpCreateFlag {
    /** Sends large IPoIB messages, which the device cuts ({@code IB_QP_CREATE_IPOIB_UD_LSO}). */
    IPOIB_UD_LSO(0),
    /** Does not get its own multicast packets back ({@code IBV_QP_CREATE_BLOCK_SELF_MCAST_LB}). */
    BLOCK_MULTICAST_LOOPBACK(1);

    private final int shift;

    QpCreateFlag(int shift) {
        this.shift = shift;
    }

    /** The bit in C. */
    public int bit() {
        return 1 << shift;
    }

    /** C's mask of a set. */
    public static int mask(Set<QpCreateFlag> flags) {
        return (int) Flags.mask(flags, QpCreateFlag::bit);
    }
}
