// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Result of a bandwidth test for one size. Corresponds to {@code struct bw_report_data}.
 *
 * @param sizeBytes of a message
 * @param messages over all queue pairs
 * @param peak highest bandwidth, in the chosen unit; 0 if it was not measured
 * @param average bandwidth of the whole test
 * @param messageRate million messages per second
 */
record BandwidthResult(int sizeBytes, long messages, double peak, double average, double messageRate) {
    private static final double NS_PER_SECOND = 1e9;
    private static final double MILLION = 1e6;
    private static final double MEBIBYTE = 1 << 20;

    /** A Gbit is 10^9 bits, as in perftest. */
    private static final double GIGABIT_BYTES = 125_000_000;

    /** Sent before there is a result, and by a server that measured nothing. */
    static final BandwidthResult NONE = new BandwidthResult(0, 0, 0, 0, 0);

    /**
     * Creates a result from times.
     *
     * @param elapsedNs for all messages
     * @param bestNs per message at the highest bandwidth; 0 if it was not measured
     */
    static BandwidthResult of(int sizeBytes, long messages, long elapsedNs, double bestNs, boolean gigabits) {
        double unit = gigabits ? GIGABIT_BYTES : MEBIBYTE;
        double perSecond = messages * NS_PER_SECOND / Math.max(1, elapsedNs);
        double peak = bestNs == 0 ? 0 : sizeBytes * NS_PER_SECOND / bestNs / unit;
        return new BandwidthResult(sizeBytes, messages, peak, sizeBytes * perSecond / unit, perSecond / MILLION);
    }

    /** Sum of both directions; messages and size stay those of one direction. */
    BandwidthResult plus(BandwidthResult other) {
        return new BandwidthResult(
                sizeBytes, messages, peak + other.peak, average + other.average, messageRate + other.messageRate);
    }

    /** JSON members with perftest's names. */
    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("MsgSize", sizeBytes);
        members.put("n_iterations", messages);
        members.put("BW_peak", peak);
        members.put("BW_average", average);
        members.put("MsgRate", messageRate);
        return members;
    }
}
