// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

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
        steps(withBind).map(this::row).forEach(out::println);
    }

    private String row(CmtimeStep step) {
        LongSummaryStatistics completed = completed(step);
        return String.format(
                Locale.ROOT,
                "%-13s: %11.2f%11.2f%11.2f%11.2f",
                step.title(),
                totalUs(step) / US_PER_MS,
                completed.getCount() == 0 ? 0 : completed.getMax() / NS_PER_US / US_PER_MS,
                completed.getCount() == 0 ? NO_MINIMUM_US : completed.getMin() / NS_PER_US,
                totalUs(step) / connections);
    }

    /** The durations of a step by the connections that have completed it, ns. */
    private LongSummaryStatistics completed(CmtimeStep step) {
        return LongStream.of(durations[step.ordinal()])
                .filter(duration -> duration > 0)
                .summaryStatistics();
    }

    private double totalUs(CmtimeStep step) {
        return totals[step.ordinal()] / NS_PER_US;
    }

    /** The rows for a JSON document. */
    List<Map<String, Object>> json(boolean withBind) {
        return steps(withBind).map(this::json).toList();
    }

    private Map<String, Object> json(CmtimeStep step) {
        LongSummaryStatistics completed = completed(step);
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("step", step.title());
        members.put("completed", completed.getCount());
        members.put("total_ms", totalUs(step) / US_PER_MS);
        if (completed.getCount() > 0) {
            members.put("max_ms", completed.getMax() / NS_PER_US / US_PER_MS);
            members.put("min_us", completed.getMin() / NS_PER_US);
        }
        members.put("us_per_connection", totalUs(step) / connections);
        return members;
    }

    private static Stream<CmtimeStep> steps(boolean withBind) {
        return Stream.of(CmtimeStep.values()).filter(step -> step != CmtimeStep.BIND || withBind);
    }
}
