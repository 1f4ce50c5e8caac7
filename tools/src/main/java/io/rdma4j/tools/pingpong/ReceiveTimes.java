// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Statistics of the times between receive completions; a clock cycle is a nanosecond. Corresponds to {@code struct
 * ts_params}.
 */
final class ReceiveTimes {
    private long max;
    private long min = Long.MAX_VALUE;
    private long total;
    private long count;
    private long previousNs;
    private boolean started;

    /** Adds the completion time of a receive. */
    void add(long timestampNs) {
        if (started) {
            long delta = timestampNs - previousNs;
            max = Math.max(max, delta);
            min = Math.min(min, delta);
            total += delta;
            count++;
        }
        previousNs = timestampNs;
        started = true;
    }

    /** Empty before the second completion. */
    List<String> lines() {
        if (count == 0) {
            return List.of();
        }
        return List.of(
                "Max receive completion clock cycles = " + max,
                "Min receive completion clock cycles = " + min,
                String.format(Locale.ROOT, "Average receive completion clock cycles = %f", average()));
    }

    /** Empty before the second completion. */
    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        if (count != 0) {
            members.put("max_ns", max);
            members.put("min_ns", min);
            members.put("average_ns", average());
        }
        return members;
    }

    private double average() {
        return (double) total / count;
    }
}
