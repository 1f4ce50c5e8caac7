package io.rdma4j.testing.sim;

import java.util.SplittableRandom;

/** Lengths of the steps of a program: most are short, some a few packets, few long, and hardly any as long as may be. */
final class StepSizes {
    private static final int SHORT = 64;
    private static final int MIDDLE = 1024;
    private static final int LONG = 1 << 15;
    private static final int VERY_LONG = 1 << 18;
    private static final int MAX_PACKETS = 8;

    /** One program in so many has a step of any length. */
    private static final int PROGRAMS_PER_GIANT = 40;

    private final SplittableRandom random;
    private final int min;
    private final int max;
    private final int mtuBytes;
    private int giants;

    StepSizes(Scenario scenario, Terms terms, SplittableRandom random) {
        this.random = random;
        this.max = Math.min(scenario.maxBytes(), terms.maxBytes());
        this.min = Math.min(scenario.minBytes(), max);
        this.mtuBytes = terms.mtuBytes();
        this.giants = random.nextInt(PROGRAMS_PER_GIANT) == 0 ? 1 : 0;
    }

    int next() {
        int die = random.nextInt(100);
        int limit = die < 50 ? SHORT : die < 72 ? MIDDLE : die < 97 ? LONG : VERY_LONG;
        int length = die < 72 || die >= 90 ? random.nextInt(limit + 1) : wholePackets();
        if (giants > 0) {
            giants--;
            length = random.nextInt(max + 1);
        }
        return Math.clamp(length, min, max);
    }

    /** A whole number of packets, or one byte more or less. */
    private int wholePackets() {
        return Math.max(0, random.nextInt(MAX_PACKETS + 1) * mtuBytes + random.nextInt(-1, 2));
    }
}
