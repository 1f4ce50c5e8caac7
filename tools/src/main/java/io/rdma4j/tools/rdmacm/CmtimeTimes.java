// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import java.io.PrintWriter;
import java.util.Locale;

/** Times of the steps of {@code cmtime}: of all connections together, and of each. */
final class CmtimeTimes {
    /** What the original prints as minimum of a step that no connection has completed. */
    private static final double NO_MINIMUM_US = 999_999_999;

    private static final double NS_PER_US = 1000;
    private static final double US_PER_MS = 1000;

    private final int connections;

    /** By step; start, and then duration, ns. */
    private final long[] totals = new long[CmtimeStep.values().length];

    private final long[][] starts;
    private final long[][] durations;

    CmtimeTimes(int connections) {
        this.connections = connections;
        starts = new long[totals.length][connections];
        durations = new long[totals.length][connections];
    }

    void start(CmtimeStep step) {
        totals[step.ordinal()] = System.nanoTime();
    }

    void end(CmtimeStep step) {
        totals[step.ordinal()] = System.nanoTime() - totals[step.ordinal()];
    }

    void start(CmtimeStep step, int connection) {
        starts[step.ordinal()][connection] = System.nanoTime();
    }

    void end(CmtimeStep step, int connection) {
        durations[step.ordinal()][connection] = Math.max(1, System.nanoTime() - starts[step.ordinal()][connection]);
    }

    void print(PrintWriter out, boolean withBind) {
        out.println("step              total ms     max ms     min us  us / conn");
        for (CmtimeStep step : CmtimeStep.values()) {
            if (step != CmtimeStep.BIND || withBind) {
                out.println(row(step));
            }
        }
    }

    private String row(CmtimeStep step) {
        double max = 0;
        double min = NO_MINIMUM_US;
        for (long duration : durations[step.ordinal()]) {
            double us = duration / NS_PER_US;
            if (us > 0) {
                max = Math.max(max, us);
                min = Math.min(min, us);
            }
        }
        double total = totals[step.ordinal()] / NS_PER_US;
        return String.format(
                Locale.ROOT,
                "%-13s: %11.2f%11.2f%11.2f%11.2f",
                step.title(),
                total / US_PER_MS,
                max / US_PER_MS,
                min,
                total / connections);
    }
}
