// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

/**
 * Target of a row.
 *
 * @param value minimum if more is better, else maximum
 * @param isRatio true: a multiple of the limit; false: in the row's unit
 */
record Goal(double value, boolean isRatio) {
    static Goal ratio(double value) {
        return new Goal(value, true);
    }

    static Goal absolute(double value) {
        return new Goal(value, false);
    }

    /** True if the target is met; unknown values are NaN. */
    boolean isMet(Unit unit, double ours, double ratio) {
        double reached = isRatio ? ratio : ours;
        return unit.moreIsBetter() ? reached >= value : reached <= value;
    }

    String text(Unit unit) {
        String sign = unit.moreIsBetter() ? "≥ " : "≤ ";
        return isRatio ? sign + Figures.text(value) + "×" : sign + Figures.text(value) + " " + unit;
    }
}
