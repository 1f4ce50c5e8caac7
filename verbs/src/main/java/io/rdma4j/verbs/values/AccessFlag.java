// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import java.util.Set;

/** Access rights of a memory region, a memory window or a queue pair. Corresponds to {@code enum ibv_access_flags}. */
public enum AccessFlag {
    /** The device may write the memory for local requests. Local reads are always allowed. */
    LOCAL_WRITE(0),
    /** The peer may write; requires {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(1),
    /** The peer may read. */
    REMOTE_READ(2),
    /** The peer may execute atomics; requires {@link #LOCAL_WRITE}. */
    REMOTE_ATOMIC(3),
    /** Memory windows may be bound to the region. */
    MW_BIND(4),
    /** Addresses of the region in work requests start at 0. */
    ZERO_BASED(5),
    /** The device faults pages in when it uses them, instead of pinning all pages at registration. */
    ON_DEMAND(6),
    /** The memory consists of huge pages. */
    HUGETLB(7),
    /** The peer may execute FLUSH for global visibility. */
    FLUSH_GLOBAL(8),
    /** The peer may execute FLUSH for persistence. */
    FLUSH_PERSISTENT(9),
    /** The device may write data in another order than that of its arrival. */
    RELAXED_ORDERING(20);

    /** {@code IBV_ACCESS_OPTIONAL_RANGE}: bits 20 to 29. */
    private static final int OPTIONAL_RANGE = 0x3FF0_0000;

    private final int shift;

    AccessFlag(int shift) {
        this.shift = shift;
    }

    /** {@return the bit of the C constant} */
    public int bit() {
        return 1 << shift;
    }

    /** {@return true if a device that does not support the flag ignores it; it rejects every other unsupported flag} */
    public boolean isOptional() {
        return (bit() & OPTIONAL_RANGE) != 0;
    }

    /**
     * {@return the bit mask of a set, as in C}
     *
     * @param flags any set; may be empty
     */
    public static int mask(Set<AccessFlag> flags) {
        return (int) Flags.mask(flags, AccessFlag::bit);
    }

    /**
     * {@return the set of a C bit mask; unknown bits are ignored}
     *
     * @param mask the bit mask
     */
    public static Set<AccessFlag> ofMask(int mask) {
        return Flags.of(AccessFlag.class, mask, AccessFlag::bit);
    }
}
