package io.rdma4j.verbs;

import java.util.Set;

/** How far a FLUSH goes: both may be asked for. Answers to {@code enum ib_placement_type}, {@code IBV_FLUSH_*}. */
public enum FlushType {
    /** What was written before is visible to everybody at the responder. */
    GLOBAL(1),
    /** It survives a loss of power. */
    PERSISTENT(2);

    private final int bit;

    FlushType(int bit) {
        this.bit = bit;
    }

    /** {@return the bit in C and in the packet} */
    public int bit() {
        return bit;
    }

    /**
     * {@return C's mask of a set}
     *
     * @param types any set, also an empty one
     */
    public static int mask(Set<FlushType> types) {
        return (int) Flags.mask(types, FlushType::bit);
    }
}
