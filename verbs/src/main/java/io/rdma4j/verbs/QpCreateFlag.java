package io.rdma4j.verbs;

import java.util.EnumSet;
import java.util.Set;

/** Peculiarities of a queue pair that are fixed at creation. Answers to {@code enum ib_qp_create_flags}. */
public enum QpCreateFlag {
    /** Sends large IPoIB messages, which the device cuts ({@code IB_QP_CREATE_IPOIB_UD_LSO}). */
    IPOIB_UD_LSO(0, QpType.UD),
    /** Does not get its own multicast packets back ({@code IBV_QP_CREATE_BLOCK_SELF_MCAST_LB}). */
    BLOCK_MULTICAST_LOOPBACK(1, QpType.UD),
    /**
     * Uses masked atomics, in both directions. No specification says how they travel, so this is the application's word that
     * the peer is a device of this project, too, and was made with this flag. Without it they cannot be posted, and a peer's
     * are refused as an invalid request. The bit is the first of those that the kernel leaves to drivers
     * ({@code IB_QP_CREATE_RESERVED_START}).
     */
    MASKED_ATOMICS(26, QpType.RC, QpType.XRC_INI, QpType.XRC_TGT);

    private final int shift;

    @SuppressWarnings("ImmutableEnumChecker") // nobody changes it
    private final Set<QpType> types;

    QpCreateFlag(int shift, QpType first, QpType... others) {
        this.shift = shift;
        this.types = EnumSet.of(first, others);
    }

    /** True if queue pairs of this type may have it. */
    boolean isFor(QpType type) {
        return types.contains(type);
    }

    /** {@return the bit in C} */
    public int bit() {
        return 1 << shift;
    }

    /**
     * {@return C's mask of a set}
     *
     * @param flags any set, also an empty one
     */
    public static int mask(Set<QpCreateFlag> flags) {
        return (int) Flags.mask(flags, QpCreateFlag::bit);
    }
}
