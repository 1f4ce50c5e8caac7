package io.rdma4j.verbs;

import java.util.Set;

/** Rights given when memory is registered or a queue pair is set up. Answers to {@code enum ibv_access_flags}. */
public enum AccessFlag {
    /** The device may write the memory for local requests; reading it locally is always allowed. */
    LOCAL_WRITE(0),
    /** The peer may write; needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(1),
    /** The peer may read. */
    REMOTE_READ(2),
    /** The peer may do atomics; needs {@link #LOCAL_WRITE}. */
    REMOTE_ATOMIC(3),
    /** Memory windows may be bound to the region. */
    MW_BIND(4),
    /** Addresses of the region start at 0. */
    ZERO_BASED(5),
    /** Pages are faulted in when they are used, not all of them at registration. */
    ON_DEMAND(6),
    /** Backed by huge pages. */
    HUGETLB(7),
    /** The peer may flush to global visibility. */
    FLUSH_GLOBAL(8),
    /** The peer may flush to persistence. */
    FLUSH_PERSISTENT(9),
    /** The device need not write in the order in which data arrived. */
    RELAXED_ORDERING(20);

    /** {@code IBV_ACCESS_OPTIONAL_RANGE}: bits 20 to 29. */
    private static final int OPTIONAL_RANGE = 0x3FF0_0000;

    private final int shift;

    AccessFlag(int shift) {
        this.shift = shift;
    }

    /** {@return the bit in C} */
    public int bit() {
        return 1 << shift;
    }

    /**
     * {@return true for what a device may know nothing of: it is dropped then, where any other right would be refused}
     */
    public boolean isOptional() {
        return (bit() & OPTIONAL_RANGE) != 0;
    }

    /**
     * {@return C's mask of a set}
     *
     * @param flags any set, also an empty one
     */
    public static int mask(Set<AccessFlag> flags) {
        return (int) Flags.mask(flags, AccessFlag::bit);
    }

    /**
     * {@return the set of C's mask; unknown bits are left out}
     *
     * @param mask as C has it
     */
    public static Set<AccessFlag> ofMask(int mask) {
        return Flags.of(AccessFlag.class, mask, AccessFlag::bit);
    }
}
