// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.scale;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Result for a number of queue pairs. Memory is per queue pair without its rings; NaN if there are too few to measure.
 *
 * @param usedHeapBytes heap after each has sent and received one message
 * @param smallRate messages of 64 bytes per second, in total
 * @param largeRate messages of 4096 bytes per second; NaN if the queue pairs were idle
 */
record ScalePoint(
        int queuePairs,
        double heapBytes,
        double usedHeapBytes,
        double offHeapBytes,
        double connectRate,
        double smallRate,
        double largeRate) {
    static String heading() {
        return """
                | queue pairs | heap, bytes each | after a message | off-heap, bytes each | connected a second | 64 B, M/s | 4096 B, M/s |
                | ----------- | ---------------- | --------------- | -------------------- | ------------------ | --------- | ----------- |
                """;
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "| %11d | %16s | %15s | %20s | %18s | %9s | %11s |%n",
                queuePairs,
                whole(heapBytes),
                whole(usedHeapBytes),
                whole(offHeapBytes),
                whole(connectRate),
                millions(smallRate),
                millions(largeRate));
    }

    private static String whole(double value) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%.0f", value);
    }

    private static String millions(double perSecond) {
        return Double.isNaN(perSecond) ? "–" : String.format(Locale.ROOT, "%.2f", perSecond / 1e6);
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("queuePairs", queuePairs);
        put(members, "heapBytesEach", heapBytes);
        put(members, "usedHeapBytesEach", usedHeapBytes);
        put(members, "offHeapBytesEach", offHeapBytes);
        put(members, "connectedPerSecond", connectRate);
        put(members, "messagesPerSecond64", smallRate);
        put(members, "messagesPerSecond4096", largeRate);
        return members;
    }

    /** JSON has no NaN. */
    private static void put(Map<String, Object> members, String name, double value) {
        if (!Double.isNaN(value)) {
            members.put(name, value);
        }
    }
}
