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
    private final List<RunReport> parts;

    public RunReport(VirtualClock clock, EventTrace trace) {
        this(clock, trace, List.of());
    }

    /** @param parts reports of the hosts, each for the thread that runs the host */
    RunReport(VirtualClock clock, EventTrace trace, List<RunReport> parts) {
        this.clock = clock;
        this.trace = trace;
        this.parts = parts;
    }

    /** Returns the report of the applications of one host, whose events and violations are also those of this one. */
    public RunReport of(SimHost host) {
        return parts.isEmpty() ? this : parts.get(host.index());
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
        int count = counts[kind.ordinal()];
        for (RunReport part : parts) {
            count += part.count(kind);
        }
        return count;
    }

    public boolean isClean() {
        for (RunReport part : parts) {
            if (!part.isClean()) {
                return false;
            }
        }
        return violations.isEmpty();
    }

    public List<String> violations() {
        List<String> all = new ArrayList<>(violations);
        parts.forEach(part -> all.addAll(part.violations));
        return List.copyOf(all);
    }
}
