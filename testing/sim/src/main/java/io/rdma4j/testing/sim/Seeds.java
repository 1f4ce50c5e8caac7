package io.rdma4j.testing.sim;

import java.util.SplittableRandom;

/** Streams of randomness that one seed gives, one for each purpose, so that they do not disturb one another. */
final class Seeds {
    private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

    private Seeds() {}

    /** A seed of its own for the part {@code purpose} of what {@code seed} stands for. */
    static long derive(long seed, long purpose) {
        return mix(seed ^ mix(purpose + GOLDEN_GAMMA));
    }

    static SplittableRandom stream(long seed, long purpose) {
        return new SplittableRandom(derive(seed, purpose));
    }

    /** Every bit of the result depends on every bit of {@code value}; the finalizer of SplitMix64. */
    static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }

    /** The value at {@code index} of the endless sequence that {@code key} stands for. */
    static long at(long key, long index) {
        return mix(key + index * GOLDEN_GAMMA);
    }
}
