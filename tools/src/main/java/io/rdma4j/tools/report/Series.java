package io.rdma4j.tools.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A curve.
 *
 * @param name for the legend
 * @param points in ascending order of {@code x}; a value that is not finite leaves a gap
 */
public record Series(String name, List<Point> points) {
    /** A point of a curve, in the units of the chart's axes. */
    public record Point(double x, double y) {}

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
