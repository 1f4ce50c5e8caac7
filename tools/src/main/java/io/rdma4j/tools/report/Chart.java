// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

import io.rdma4j.netlab.command.shell.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Curves over a common axis.
 *
 * @param title of the chart
 * @param x scale of the horizontal axis
 * @param xTitle with the unit
 * @param y scale of the vertical axis
 * @param yTitle with the unit
 * @param series at most {@value #MAX_SERIES}, so that each has a different colour
 */
public record Chart(String title, Axis x, String xTitle, Axis y, String yTitle, List<Series> series)
        implements ReportBlock {
    /** Number of distinguishable colours. */
    public static final int MAX_SERIES = 8;

    /** @throws IllegalArgumentException if there are too many curves */
    public Chart {
        if (series.size() > MAX_SERIES) {
            throw new IllegalArgumentException(series.size() + " curves in one chart, at most " + MAX_SERIES);
        }
        series = List.copyOf(series);
    }

    /** {@return at most {@link #MAX_SERIES} of the elements, evenly distributed, including the first and the last} */
    public static <T> List<T> selection(List<T> all) {
        if (all.size() <= MAX_SERIES) {
            return all;
        }
        List<T> chosen = new ArrayList<>();
        for (int i = 0; i < MAX_SERIES; i++) {
            chosen.add(all.get((int) Math.round((double) i * (all.size() - 1) / (MAX_SERIES - 1))));
        }
        return chosen;
    }

    @Override
    public String html() {
        return "<h2>" + HtmlReport.escape(title) + "</h2>\n<figure class=\"chart\" data-spec=\""
                + HtmlReport.escape(Json.text(spec())) + "\"></figure>\n";
    }

    private Map<String, Object> spec() {
        SortedSet<Double> xs = new TreeSet<>();
        series.forEach(curve -> curve.points().forEach(point -> xs.add(point.x())));
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("x", x.label());
        spec.put("xTitle", xTitle);
        spec.put("y", y.label());
        spec.put("yTitle", yTitle);
        spec.put("names", series.stream().map(Series::name).toList());
        List<Object> data = new ArrayList<>();
        data.add(List.copyOf(xs));
        series.forEach(curve -> data.add(aligned(curve, xs)));
        spec.put("data", data);
        return spec;
    }

    /** The values at all points of the axis; a text where the curve has none, since JSON has no NaN. */
    private List<Object> aligned(Series curve, SortedSet<Double> xs) {
        Map<Double, Double> values = new LinkedHashMap<>();
        curve.points().forEach(point -> values.put(point.x(), point.y()));
        List<Object> aligned = new ArrayList<>();
        xs.forEach(at -> aligned.add(drawable(values.get(at))));
        return aligned;
    }

    private Object drawable(@Nullable Double value) {
        if (value == null || !Double.isFinite(value) || y == Axis.LOGARITHMIC && value <= 0) {
            return "";
        }
        return value;
    }
}
