// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.ArrayList;
import java.util.List;

/**
 * Target of a row: all bounds that are not NaN. A bound is a minimum if more is better, else a maximum.
 *
 * @param ratio multiple of the limit
 * @param absolute in the row's unit
 * @param tail of the 99.9th percentile, in the row's unit
 */
record Goal(double ratio, double absolute, double tail) {
    static Goal ratio(double value) {
        return new Goal(value, Double.NaN, Double.NaN);
    }

    static Goal absolute(double value) {
        return new Goal(Double.NaN, value, Double.NaN);
    }

    Goal andRatio(double value) {
        return new Goal(value, absolute, tail);
    }

    Goal andTail(double value) {
        return new Goal(ratio, absolute, value);
    }

    /** True if all values that the bounds need are known. */
    boolean isKnown(double ours, double toLimit, double p999) {
        return isNumber(ours, absolute) && isNumber(toLimit, ratio) && isNumber(p999, tail);
    }

    private static boolean isNumber(double value, double bound) {
        return Double.isNaN(bound) || !Double.isNaN(value);
    }

    /** True if the target is met; unknown values are NaN. */
    boolean isMet(Unit unit, double ours, double toLimit, double p999) {
        return isWithin(unit, ours, absolute) && isWithin(unit, toLimit, ratio) && isWithin(unit, p999, tail);
    }

    private static boolean isWithin(Unit unit, double value, double bound) {
        return Double.isNaN(bound) || (unit.moreIsBetter() ? value >= bound : value <= bound);
    }

    /** The first bound as a multiple of the limit, for drawings. */
    double toLimit(double limit) {
        return Double.isNaN(ratio) ? absolute / limit : ratio;
    }

    String text(Unit unit) {
        String sign = unit.moreIsBetter() ? "≥ " : "≤ ";
        List<String> bounds = new ArrayList<>();
        if (!Double.isNaN(absolute)) {
            bounds.add(sign + Figures.text(absolute) + " " + unit);
        }
        if (!Double.isNaN(ratio)) {
            bounds.add(sign + Figures.text(ratio) + "×");
        }
        if (!Double.isNaN(tail)) {
            bounds.add("p99.9 " + sign + Figures.text(tail) + " " + unit);
        }
        return String.join(", ", bounds);
    }
}
