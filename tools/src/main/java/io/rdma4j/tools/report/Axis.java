package io.rdma4j.tools.report;

import java.util.Locale;

/** How the values of an axis are spaced and written; {@code report.js} knows them by their names in lower case. */
public enum Axis {
    /** Powers of two on a logarithmic scale: 64, 1K, 1M. */
    BYTES,
    /** Shares of messages in percent; each further nine takes the same room. */
    PERCENTILE,
    /** From zero. */
    LINEAR,
    /** Powers of ten. */
    LOGARITHMIC;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
