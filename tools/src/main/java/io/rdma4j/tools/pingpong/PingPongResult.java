// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Result of a ping-pong.
 *
 * @param sizeBytes of a message
 * @param iterations messages that each side sent
 * @param elapsedNs from the first message to the last completion
 * @param times between receive completions; null if not requested
 * @param invalidPages pages with wrong data; empty if messages were not checked
 */
record PingPongResult(
        int sizeBytes,
        int iterations,
        long elapsedNs,
        @Nullable ReceiveTimes times,
        BitSet invalidPages) {
    private static final double NS_PER_US = 1e3;
    private static final double US_PER_SECOND = 1e6;
    private static final int DIRECTIONS = 2;

    /** Bytes of both directions. */
    long bytes() {
        return (long) sizeBytes * iterations * DIRECTIONS;
    }

    /** Time of one exchange, both directions, in microseconds. */
    double usecPerIteration() {
        return elapsedUs() / iterations;
    }

    private double elapsedUs() {
        return elapsedNs / NS_PER_US;
    }

    private double mbitPerSecond() {
        return bytes() * (double) Byte.SIZE / elapsedUs();
    }

    /** True if no wrong byte was found. */
    boolean valid() {
        return invalidPages.isEmpty();
    }

    /** Formats the output of the original. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        double seconds = elapsedUs() / US_PER_SECOND;
        lines.add(String.format(
                Locale.ROOT, "%d bytes in %.2f seconds = %.2f Mbit/sec", bytes(), seconds, mbitPerSecond()));
        lines.add(String.format(
                Locale.ROOT, "%d iters in %.2f seconds = %.2f usec/iter", iterations, seconds, usecPerIteration()));
        if (times != null) {
            lines.addAll(times.lines());
        }
        invalidPages.stream().mapToObj(page -> "invalid data in page " + page).forEach(lines::add);
        return lines;
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("size", sizeBytes);
        members.put("iterations", iterations);
        members.put("bytes", bytes());
        members.put("seconds", elapsedUs() / US_PER_SECOND);
        members.put("mbit_per_second", mbitPerSecond());
        members.put("usec_per_iteration", usecPerIteration());
        if (times != null) {
            members.put("receive_completions", times.json());
        }
        members.put("invalid_pages", invalidPages.stream().boxed().toList());
        return members;
    }
}
