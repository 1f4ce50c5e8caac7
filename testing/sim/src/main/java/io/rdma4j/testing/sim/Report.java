package io.rdma4j.testing.sim;

import java.util.ArrayList;
import java.util.List;

/** What the applications of a run saw, and what of it must not be. */
final class Report {
    private final VirtualClock clock;
    private final Trace trace;
    private final List<String> violations = new ArrayList<>();
    private final int[] counts = new int[TraceKind.values().length];

    Report(VirtualClock clock, Trace trace) {
        this.clock = clock;
        this.trace = trace;
    }

    /** Something happened to a message. */
    void event(TraceKind kind, int host, int message, int bytes) {
        counts[kind.ordinal()]++;
        trace.message(kind, host, message, bytes);
    }

    /** Something is as it must not be. */
    void violation(String what) {
        violations.add("after %.3f us: %s".formatted(clock.elapsedNs() / 1000.0, what));
    }

    /** How often something happened. */
    int count(TraceKind kind) {
        return counts[kind.ordinal()];
    }

    boolean isClean() {
        return violations.isEmpty();
    }

    List<String> violations() {
        return List.copyOf(violations);
    }
}
