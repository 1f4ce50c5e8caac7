package io.rdma4j.tools.report;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A curve.
 *
 * @param name for the legend
 * @param points in ascending order of {@code x}; a value that is not finite leaves a gap
 */
public record Series(String name, List<Point> points) {
    /** A point of a curve, in the units of the chart's axes. */
    public record Point(double x, double y) {}

    /** Points of a distribution each time that the share of larger values halves. */
    private static final int STEPS_PER_HALVING = 5;

    /**
     * The distribution of values, for {@link Axis#PERCENTILE}: the x of share p is 1 / (1 - p).
     *
     * @param values recorded
     * @param unit what a value is divided by
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
     * A curve through values over a common axis.
     *
     * @param x ascending
     * @param y as many
     */
    public static Series of(String name, List<Double> x, List<Double> y) {
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < x.size(); i++) {
            points.add(new Point(x.get(i), y.get(i)));
        }
        return new Series(name, points);
    }
}
