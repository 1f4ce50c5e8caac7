package io.rdma4j.testing.architecture.samples.transport;

import java.util.Random;
import java.util.SplittableRandom;

/** An engine whose runs cannot be repeated, and how it should be. */
public final class RollsDice {
    private RollsDice() {}

    /** Another number in each run. */
    public static int unseeded() {
        return new Random().nextInt();
    }

    /** The same number for the same seed. */
    public static int seeded(long seed) {
        return new SplittableRandom(seed).nextInt();
    }
}
