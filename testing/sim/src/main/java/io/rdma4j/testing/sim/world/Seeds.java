// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import java.util.SplittableRandom;

/** Creates independent random streams from one seed, one for each purpose. */
public final class Seeds {
    private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

    private Seeds() {}

    /** Derives the seed of {@code purpose} from {@code seed}. */
    public static long derive(long seed, long purpose) {
        return mix(seed ^ mix(purpose + GOLDEN_GAMMA));
    }

    public static SplittableRandom stream(long seed, long purpose) {
        return new SplittableRandom(derive(seed, purpose));
    }

    /** The finalizer of SplitMix64: every bit of the result depends on every bit of {@code value}. */
    static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }

    /** The value at {@code index} of the unlimited sequence of {@code key}. */
    public static long at(long key, long index) {
        return mix(key + index * GOLDEN_GAMMA);
    }
}
