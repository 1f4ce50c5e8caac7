// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.SimScenario;
import java.util.SplittableRandom;

/**
 * Chooses the lengths of a program's steps: most are short, some have a few packets, few are long, very few have the
 * maximum length.
 */
final class StepSizes {
    private static final int SHORT = 64;
    private static final int MIDDLE = 1024;
    private static final int LONG = 1 << 15;
    private static final int VERY_LONG = 1 << 18;
    private static final int MAX_PACKETS = 8;

    /** One of this many programs has a step of any length. */
    private static final int PROGRAMS_PER_GIANT = 40;

    private final SplittableRandom random;
    private final int min;
    private final int max;
    private final int mtuBytes;
    private int giants;

    StepSizes(SimScenario scenario, ProgramLimits limits, SplittableRandom random) {
        this.random = random;
        this.max = Math.min(scenario.maxBytes(), limits.maxBytes());
        this.min = Math.min(scenario.minBytes(), max);
        this.mtuBytes = limits.mtuBytes();
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

    /** Returns a whole number of packets, or one byte more or less. */
    private int wholePackets() {
        return Math.max(0, random.nextInt(MAX_PACKETS + 1) * mtuBytes + random.nextInt(-1, 2));
    }
}
