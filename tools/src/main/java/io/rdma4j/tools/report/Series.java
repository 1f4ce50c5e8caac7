// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A curve.
 *
 * @param name in the legend
 * @param points in ascending order of {@code x}; a value that is not finite leaves a gap
 */
public record Series(String name, List<Point> points) {
    /** A point of a curve, in the units of the chart's axes. */
    public record Point(double x, double y) {}

    /** Number of points of a distribution for each halving of the share of larger values. */
    private static final int STEPS_PER_HALVING = 5;

    /**
     * Returns the distribution of values, for {@link Axis#PERCENTILE}: the x of share p is 1 / (1 - p).
     *
     * @param name in the legend
     * @param values recorded values
     * @param unit divisor of a value
     */
    public static Series ofDistribution(String name, Histogram values, double unit) {
        List<Point> points = new ArrayList<>();
        points.add(new Point(1, values.getMinValue() / unit));
        long last = values.getTotalCount();
        for (HistogramIterationValue step : values.percentiles(STEPS_PER_HALVING)) {
            double above = last - step.getTotalCountToThisValue();
            if (above > 0) {
                points.add(new Point(last / above, step.getValueIteratedTo() / unit));
            }
        }
        points.add(new Point(Math.max(1, last), values.getMaxValue() / unit));
        return new Series(name, points);
    }

    /**
     * Returns a curve through values over a common axis.
     *
     * @param name in the legend
     * @param x ascending
     * @param y as many values
     */
    public static Series of(String name, List<Double> x, List<Double> y) {
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < x.size(); i++) {
            points.add(new Point(x.get(i), y.get(i)));
        }
        return new Series(name, points);
    }
}
