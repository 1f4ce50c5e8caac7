package io.rdma4j.interop.suite;

import java.util.List;

/** Who asks whom: client and server of a tool, requester and responder of an operation. */
public enum Direction {
    /** Ours asks. */
    TO_LINUX("ours → Linux"),
    /** Linux asks. */
    FROM_LINUX("Linux → ours"),
    /** Both ask both. */
    BOTH("both");

    /** Those that a scenario is played in. */
    static final List<Direction> PLAYED = List.of(TO_LINUX, FROM_LINUX);

    private final String label;

    Direction(String label) {
        this.label = label;
    }

    /** For the table. */
    public String label() {
        return label;
    }
}
