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
    /** Pages are faulted in when they are used. */
    ON_DEMAND(6),
    /** Backed by huge pages. */
    HUGETLB(7),
    /** The peer may flush to global visibility. */
    FLUSH_GLOBAL(8),
    /** The peer may flush to persistence. */
    FLUSH_PERSISTENT(9);

    private final int shift;

    AccessFlag(int shift) {
        this.shift = shift;
    }

    /** The bit in C. */
    public int bit() {
        return 1 << shift;
    }

    /** C's mask of a set. */
    public static int mask(Set<AccessFlag> flags) {
        return (int) Flags.mask(flags, AccessFlag::bit);
    }

    /** The set of C's mask; unknown bits are left out. */
    public static Set<AccessFlag> ofMask(int mask) {
        return Flags.of(AccessFlag.class, mask, AccessFlag::bit);
    }
}
