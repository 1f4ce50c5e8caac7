// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import java.util.EnumSet;
import java.util.Set;

/** Options of a queue pair that are fixed at creation. Corresponds to {@code enum ib_qp_create_flags}. */
public enum QpCreateFlag {
    /** Allows large sends of IPoIB, which the device segments ({@code IB_QP_CREATE_IPOIB_UD_LSO}). */
    IPOIB_UD_LSO(0, QpType.UD),
    /** Does not receive its own multicast packets ({@code IBV_QP_CREATE_BLOCK_SELF_MCAST_LB}). */
    BLOCK_MULTICAST_LOOPBACK(1, QpType.UD),
    /**
     * Allows masked atomics in both directions. No specification defines their packets. The application therefore
     * asserts with this flag that the peer is a device of this project, whose queue pair has this flag, too. Without
     * the flag they cannot be posted, and those of a peer are rejected as invalid requests. The bit is the first of the
     * kernel's driver-private bits ({@code IB_QP_CREATE_RESERVED_START}).
     */
    MASKED_ATOMICS(26, QpType.RC, QpType.XRC_INI, QpType.XRC_TGT);

    private final int shift;

    @SuppressWarnings("ImmutableEnumChecker") // never modified
    private final Set<QpType> types;

    QpCreateFlag(int shift, QpType first, QpType... others) {
        this.shift = shift;
        this.types = EnumSet.of(first, others);
    }

    /**
     * {@return true if queue pairs of this type may have the flag}
     *
     * @param type transport service
     */
    public boolean isFor(QpType type) {
        return types.contains(type);
    }

    /** {@return the bit in C} */
    public int bit() {
        return 1 << shift;
    }

    /**
     * {@return the mask in C of a set}
     *
     * @param flags may be empty
     */
    public static int mask(Set<QpCreateFlag> flags) {
        return (int) Flags.mask(flags, QpCreateFlag::bit);
    }
}
