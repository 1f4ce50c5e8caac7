// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.List;
import java.util.Locale;

/** Computes medians and formats numbers. */
final class Figures {
    private static final int DIGITS = 3;
    private static final int MOST_DECIMALS = 4;

    private Figures() {}

    /** The middle value, or the mean of the two middle ones; NaN for an empty list. */
    static double median(List<Double> values) {
        List<Double> sorted =
                values.stream().filter(value -> !value.isNaN()).sorted().toList();
        int count = sorted.size();
        return count == 0 ? Double.NaN : (sorted.get((count - 1) / 2) + sorted.get(count / 2)) / 2;
    }

    /** Formats three significant digits; a dash for NaN. */
    static String text(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        int whole = value == 0 ? 0 : (int) Math.floor(Math.log10(Math.abs(value)));
        int decimals = Math.clamp(DIGITS - 1L - whole, 0, MOST_DECIMALS);
        String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }
}
