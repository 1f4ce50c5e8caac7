package io.rdma4j.tools.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Curves over equally spaced points, the value on a logarithmic axis, as SVG. */
public final class Plot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 420;
    private static final int LEFT = 80;
    private static final int RIGHT = 140;
    private static final int TOP = 20;
    private static final int BOTTOM = 50;

    private final String xTitle;
    private final String yTitle;
    private final int steps;
    private final double top;
    private final StringBuilder labels = new StringBuilder();
    private final StringBuilder curves = new StringBuilder();
    private int legend;
    private double bottom = Double.MAX_VALUE;
    private final List<Curve> drawn = new ArrayList<>();

    private record Curve(String name, String colour, List<Double> values) {}

    /**
     * An empty plot.
     *
     * @param steps from the first point to the last
     * @param most largest value
     */
    public Plot(String xTitle, String yTitle, int steps, double most) {
        this.xTitle = xTitle;
        this.yTitle = yTitle;
        this.steps = steps;
        this.top = Math.pow(10, Math.ceil(Math.log10(Math.max(most, 1e-6))));
    }

    /** What stands below a point. */
    public void label(int point, String text) {
        labels.append(text(x(point), HEIGHT - BOTTOM + 18, "middle", text));
    }

    /** Values that are 0 are left out: they have no logarithm. */
    public void curve(String name, String colour, List<Double> values) {
        drawn.add(new Curve(name, colour, values));
        for (double value : values) {
            if (value > 0) {
                bottom = Math.min(bottom, value);
            }
        }
    }

    /** The finished plot: an {@code svg} element, which is a file of its own as well as part of a page. */
    public String svg() {
        bottom = Math.pow(10, Math.floor(Math.log10(Math.min(bottom, top / 10))));
        drawn.forEach(this::draw);
        StringBuilder grid = new StringBuilder();
        for (double value = bottom; value <= top * 1.001; value *= 10) {
            grid.append(String.format(
                    Locale.ROOT,
                    "<line class=\"grid\" stroke=\"#ddd\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>%n",
                    LEFT,
                    WIDTH - RIGHT,
                    y(value),
                    y(value)));
            grid.append(text(LEFT - 8, y(value) + 4, "end", number(value)));
        }
        return String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"12\""
                                + " viewBox=\"0 0 %d %d\" width=\"%d\">%n",
                        WIDTH,
                        HEIGHT,
                        WIDTH)
                + grid
                + labels
                + text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle", xTitle)
                + text(LEFT - 8, TOP - 6, "end", yTitle)
                + curves
                + "</svg>\n";
    }

    private void draw(Curve curve) {
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < curve.values().size(); i++) {
            if (curve.values().get(i) > 0) {
                points.append(String.format(
                        Locale.ROOT, "%.1f,%.1f ", x(i), y(curve.values().get(i))));
                curves.append(String.format(
                        Locale.ROOT,
                        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s: %s</title></circle>%n",
                        x(i),
                        y(curve.values().get(i)),
                        curve.colour(),
                        curve.name(),
                        number(curve.values().get(i))));
            }
        }
        curves.append(String.format(
                Locale.ROOT,
                "<polyline class=\"curve\" stroke=\"%s\" points=\"%s\"/>%n",
                curve.colour(),
                points.toString().strip()));
        curves.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n",
                WIDTH - RIGHT + 10,
                TOP + 10 + 18 * legend++,
                curve.colour(),
                curve.name()));
    }

    /** A value as text, with at most three decimals. */
    public static String number(double value) {
        String text = String.format(Locale.ROOT, "%.3f", value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }

    private double x(int point) {
        return LEFT + (double) (WIDTH - LEFT - RIGHT) * point / steps;
    }

    private double y(double value) {
        double share = Math.log10(value / bottom) / Math.log10(top / bottom);
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
    }

    private static String text(double x, double y, String anchor, String text) {
        return String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, text);
    }
}
