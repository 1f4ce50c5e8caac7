package io.rdma4j.bench.peers;

/**
 * What a row is to reach.
 *
 * @param value at least, if more is better, or at most
 * @param isRatio to the limit; otherwise in the row's unit
 */
record Goal(double value, boolean isRatio) {
    static Goal ratio(double value) {
        return new Goal(value, true);
    }

    static Goal absolute(double value) {
        return new Goal(value, false);
    }

    /** Whether it is met; both values are NaN if not known. */
    boolean isMet(Unit unit, double ours, double ratio) {
        double reached = isRatio ? ratio : ours;
        return unit.moreIsBetter() ? reached >= value : reached <= value;
    }

    String text(Unit unit) {
        String sign = unit.moreIsBetter() ? "≥ " : "≤ ";
        return isRatio ? sign + Figures.text(value) + "×" : sign + Figures.text(value) + " " + unit;
    }
}
