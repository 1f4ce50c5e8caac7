// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.List;

/** Duration of all runs: long for results, or short as a test of the benchmark. */
enum Effort {
    FULL,
    QUICK;

    /** Chooses a number of messages. */
    long count(long full, long quick) {
        return this == FULL ? full : quick;
    }

    /**
     * Options of this project's tests with a duration: the first seconds, in which the JVM compiles, and the last are
     * not measured.
     */
    List<String> time(long quickMessages) {
        return this == FULL ? List.of("-D", "13", "-f", "6") : List.of("-n", Long.toString(quickMessages));
    }
}
