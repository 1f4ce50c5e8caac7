// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

/** Limits the ICMP errors that a host sends to a rate per second and a burst ({@code icmp_global_allow}). */
final class ErrorRate {
    private static final long SECOND_NS = 1_000_000_000L;

    private final long intervalNs;
    private final long mostNs;

    /** Unused time, nanoseconds: one error costs {@link #intervalNs} of it. */
    private long savedNs;

    private long lastNs;

    ErrorRate(int perSecond, int burst, long nowNs) {
        this.intervalNs = SECOND_NS / perSecond;
        this.mostNs = intervalNs * burst;
        this.savedNs = mostNs;
        this.lastNs = nowNs;
    }

    /** True if one more error may be sent now; takes its share of the rate. */
    boolean take(long nowNs) {
        savedNs = Math.min(mostNs, savedNs + nowNs - lastNs);
        lastNs = nowNs;
        if (savedNs < intervalNs) {
            return false;
        }
        savedNs -= intervalNs;
        return true;
    }
}
