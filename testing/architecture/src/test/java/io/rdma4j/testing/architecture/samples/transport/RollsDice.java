// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples.transport;

import java.util.Random;
import java.util.SplittableRandom;

/** An engine with unseeded randomness, and the correct alternative. */
public final class RollsDice {
    private RollsDice() {}

    /** Returns another number in each run. */
    public static int unseeded() {
        return new Random().nextInt();
    }

    /** Returns the same number for the same seed. */
    public static int seeded(long seed) {
        return new SplittableRandom(seed).nextInt();
    }
}
