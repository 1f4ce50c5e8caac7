// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import java.util.List;

/** The requesting side: client of a tool, requester of an operation. */
public enum Direction {
    /** rdma4j requests. */
    TO_LINUX("ours → Linux"),
    /** Linux requests. */
    FROM_LINUX("Linux → ours"),
    /** Both sides request. */
    BOTH("both");

    /** Directions in which a scenario runs. */
    static final List<Direction> PLAYED = List.of(TO_LINUX, FROM_LINUX);

    private final String label;

    Direction(String label) {
        this.label = label;
    }

    /** Name in the table. */
    public String label() {
        return label;
    }
}
