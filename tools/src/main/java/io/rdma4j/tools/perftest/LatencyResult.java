// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.tools.report.Series;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * Result of a latency test for one size.
 *
 * <p>It includes all times; perftest drops the two worst.
 *
 * @param sizeBytes of a message
 * @param messages that this side sent
 * @param elapsedNs duration of these messages
 * @param times between two messages, in nanoseconds
 * @param series the same times in order; empty if the user did not request them
 * @param perTime latencies per time: 2 if both sides send in turn
 */
record LatencyResult(int sizeBytes, long messages, long elapsedNs, Histogram times, TimeSeries series, int perTime) {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SECOND = 1e9;

    /** Percentiles in the JSON document and the plot. */
    static final double[] PERCENTILES = {50, 75, 90, 95, 99, 99.9, 99.99, 99.999};

    private double us(double ns) {
        return ns / NS_PER_US / perTime;
    }

    /** All times, as latencies in microseconds. */
    double[] seriesUs(boolean sorted) {
        return LongStream.of(sorted ? series.sorted() : series.values())
                .mapToDouble(this::us)
                .toArray();
    }

    double minUs() {
        return us((double) times.getMinValue());
    }

    double maxUs() {
        return us((double) times.getMaxValue());
    }

    double averageUs() {
        return us(times.getMean());
    }

    double deviationUs() {
        return us(times.getStdDeviation());
    }

    double percentileUs(double percentile) {
        return us((double) times.getValueAtPercentile(percentile));
    }

    /** {@return true if there are enough messages for a percentile to differ from the maximum} */
    boolean knows(double percentile) {
        return times.getTotalCount() * (100 - percentile) >= 100 * (1 - 1e-9);
    }

    /** {@return the distribution of latencies in microseconds} */
    Series distribution() {
        return Series.ofDistribution(sizeBytes + " bytes", times, NS_PER_US * perTime);
    }

    /** Messages per second in one direction. */
    double perSecond() {
        return messages * NS_PER_SECOND / Math.max(1, elapsedNs);
    }

    /** JSON members, with perftest's names where it has them. */
    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("MsgSize", sizeBytes);
        members.put("n_iterations", messages);
        members.put("t_min", minUs());
        members.put("t_max", maxUs());
        members.put("t_typical", percentileUs(50));
        members.put("t_avg", averageUs());
        members.put("t_stdev", deviationUs());
        members.put("tps_average", perSecond());
        Map<String, Object> percentiles = new LinkedHashMap<>();
        for (double percentile : PERCENTILES) {
            percentiles.put(Double.toString(percentile), percentileUs(percentile));
        }
        members.put("percentiles_usec", percentiles);
        return members;
    }
}
