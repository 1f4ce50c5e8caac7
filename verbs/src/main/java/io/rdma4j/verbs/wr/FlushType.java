// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import io.rdma4j.verbs.values.Flags;
import java.util.Set;

/**
 * Placement that a FLUSH guarantees; both may be requested. Corresponds to {@code enum ib_placement_type},
 * {@code IBV_FLUSH_*}.
 */
public enum FlushType {
    /** Global visibility: all CPUs and devices of the responder see the data of earlier writes. */
    GLOBAL(1),
    /** Persistence: the data of earlier writes survive a loss of power. */
    PERSISTENT(2);

    private final int bit;

    FlushType(int bit) {
        this.bit = bit;
    }

    /** {@return the bit of the C constant, also used in packets} */
    public int bit() {
        return bit;
    }

    /**
     * {@return the bit mask of a set, as in C}
     *
     * @param types any set; may be empty
     */
    public static int mask(Set<FlushType> types) {
        return (int) Flags.mask(types, FlushType::bit);
    }
}
