// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

import java.util.Locale;

/** Scale and number format of an axis; {@code report.js} uses the names in lower case. */
public enum Axis {
    /** Powers of two on a logarithmic scale: 64, 1K, 1M. */
    BYTES,
    /** Shares of messages in percent; each further nine has the same width. */
    PERCENTILE,
    /** Linear from zero. */
    LINEAR,
    /** Logarithmic with powers of ten. */
    LOGARITHMIC;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
