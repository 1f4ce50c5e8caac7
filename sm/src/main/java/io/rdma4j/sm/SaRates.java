// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.verbs.values.Rate;
import java.util.HashMap;
import java.util.Map;

/** The order of rates: their codes are not in the order of their values. */
final class SaRates {
    private static final Map<Long, Integer> MBPS = new HashMap<>();

    static {
        for (Rate rate : Rate.values()) {
            MBPS.put((long) rate.code(), rate.mbps());
        }
    }

    private SaRates() {}

    /** Returns the megabits in a second of a code; 0 for a code that is not defined. */
    static int mbps(long code) {
        return Math.max(0, MBPS.getOrDefault(code, 0));
    }
}
