// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

/**
 * Percentiles of round trips, in the row's unit; NaN if they are not known.
 *
 * @param p99 99th percentile
 * @param p999 99.9th percentile
 */
record Tail(double p99, double p999) {
    static final Tail NONE = new Tail(Double.NaN, Double.NaN);

    boolean isKnown() {
        return !Double.isNaN(p99);
    }
}
