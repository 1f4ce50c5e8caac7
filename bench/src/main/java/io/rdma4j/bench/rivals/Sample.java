// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

/**
 * Result of a contender in a round.
 *
 * @param value in the row's unit; NaN if there is none
 * @param place where the CPUs were during the run, see {@link Placement}
 */
record Sample(double value, Tail tail, String place) {
    static final Sample MISSING = new Sample(Double.NaN, Tail.NONE, Placement.UNKNOWN);

    /** Returns a copy with another place. */
    Sample at(String other) {
        return new Sample(value, tail, other);
    }
}
