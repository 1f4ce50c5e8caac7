// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

import java.util.List;
import java.util.Locale;

/**
 * Figures as multiples of a limit: one bar each on a logarithmic scale, with lines at the limit and at the target.
 *
 * @param title of the chart
 * @param groups one for each measured row
 */
public record RatioBars(String title, List<Group> groups) implements ReportBlock {
    private static final double PERCENT = 100;

    /**
     * The bars of a row.
     *
     * @param name of the row
     * @param target as a multiple of the limit; NaN for none
     * @param bars one for each program
     */
    public record Group(String name, double target, List<Bar> bars) {}

    /**
     * A bar.
     *
     * @param name of the program
     * @param ratio to the limit; NaN if there is no figure
     * @param own true for a program of this project
     * @param note measured value with its unit, or the reason for a missing value
     */
    public record Bar(String name, double ratio, boolean own, String note) {}

    @Override
    public String html() {
        double low = bound(false);
        double high = bound(true);
        StringBuilder html = new StringBuilder("<h2>" + HtmlReport.escape(title) + "</h2>\n<div class=\"bars\">\n");
        for (Group group : groups) {
            html.append("<div class=\"group\"><h3>")
                    .append(HtmlReport.escape(group.name()))
                    .append("</h3>\n");
            for (Bar bar : group.bars()) {
                html.append(bar(bar, group.target(), low, high));
            }
            html.append("</div>\n");
        }
        return html.append(
                        "<p class=\"key\"><span class=\"limit\"></span> the limit (1×) <span class=\"target\"></span>"
                                + " the target</p></div>\n")
                .toString();
    }

    private static String bar(Bar bar, double target, double low, double high) {
        String track = "";
        if (Double.isFinite(bar.ratio())) {
            track = "<i class=\"fill\" style=\"width:" + percent(bar.ratio(), low, high) + "\"></i>";
        }
        track += "<i class=\"limit\" style=\"left:" + percent(1, low, high) + "\"></i>";
        if (Double.isFinite(target)) {
            track += "<i class=\"target\" style=\"left:" + percent(target, low, high) + "\"></i>";
        }
        String ratio = Double.isFinite(bar.ratio()) ? HtmlReport.number(bar.ratio()) + "×" : "–";
        return "<div class=\"bar" + (bar.own() ? " own" : "") + "\"><span>" + HtmlReport.escape(bar.name())
                + "</span><b>" + track + "</b><span>" + ratio + "</span><span>" + HtmlReport.escape(bar.note())
                + "</span></div>\n";
    }

    /** A power of ten beyond all ratios and targets. */
    private double bound(boolean upper) {
        double bound = 1;
        for (Group group : groups) {
            bound = beyond(bound, group.target(), upper);
            for (Bar bar : group.bars()) {
                bound = beyond(bound, bar.ratio(), upper);
            }
        }
        double power = Math.log10(bound);
        return Math.pow(10, upper ? Math.floor(power) + 1 : Math.ceil(power) - 1);
    }

    private static double beyond(double bound, double value, boolean upper) {
        if (!Double.isFinite(value) || value <= 0) {
            return bound;
        }
        return upper ? Math.max(bound, value) : Math.min(bound, value);
    }

    private static String percent(double value, double low, double high) {
        double share = Math.log10(value / low) / Math.log10(high / low);
        return String.format(Locale.ROOT, "%.2f%%", PERCENT * Math.clamp(share, 0, 1));
    }
}
