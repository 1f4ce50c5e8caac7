// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import java.util.ArrayList;
import java.util.List;

/** Records the events and the violations that the applications of a run report. */
public final class RunReport {
    private final VirtualClock clock;
    private final EventTrace trace;
    private final List<String> violations = new ArrayList<>();
    private final int[] counts = new int[TraceKind.values().length];

    public RunReport(VirtualClock clock, EventTrace trace) {
        this.clock = clock;
        this.trace = trace;
    }

    /** Records an event of a message. */
    public void event(TraceKind kind, int host, int message, int bytes) {
        counts[kind.ordinal()]++;
        trace.message(kind, host, message, bytes);
    }

    /** Records a violation. */
    public void violation(String what) {
        violations.add("after %.3f us: %s".formatted(clock.elapsedNs() / 1000.0, what));
    }

    /** Number of events of a kind. */
    int count(TraceKind kind) {
        return counts[kind.ordinal()];
    }

    public boolean isClean() {
        return violations.isEmpty();
    }

    public List<String> violations() {
        return List.copyOf(violations);
    }
}
