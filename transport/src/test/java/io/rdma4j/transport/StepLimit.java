// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

/** Bounds a loop of a test in virtual time: without progress it fails after so many steps, and does not hang. */
final class StepLimit {
    private final String goal;
    private final int limit;
    private int steps;

    /** @param goal what the loop waits for, as it stands in the message */
    StepLimit(String goal, int limit) {
        this.goal = goal;
        this.limit = limit;
    }

    /** Counts a step. */
    void step() {
        if (++steps > limit) {
            throw new AssertionError("no end after " + limit + " steps: " + goal);
        }
    }

    /** There was progress: the steps are counted anew. */
    void renew() {
        steps = 0;
    }
}
