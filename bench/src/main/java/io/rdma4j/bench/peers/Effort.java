package io.rdma4j.bench.peers;

import java.util.List;

/** How long everything runs: for figures, or only to see that all of it still works. */
enum Effort {
    FULL,
    QUICK;

    /** A number of messages. */
    long count(long full, long quick) {
        return this == FULL ? full : quick;
    }

    /** Options of a test of ours that can run for a time: the first seconds, in which the JVM compiles, and the last are not measured. */
    List<String> time(long quickMessages) {
        return this == FULL ? List.of("-D", "13", "-f", "6") : List.of("-n", Long.toString(quickMessages));
    }
}
