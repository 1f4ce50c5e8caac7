// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.connect;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** Times of a number of connections, step by step. One thread. */
final class Round {
    private final int count;
    private final Map<String, long[]> steps = new LinkedHashMap<>();
    private long totalNs;

    Round(int count) {
        this.count = count;
    }

    void record(String step, int connection, long ns) {
        steps.computeIfAbsent(step, _ -> new long[count])[connection] = ns;
        totalNs += ns;
    }

    Set<String> steps() {
        return steps.keySet();
    }

    /** Connections per second, from the first step to the last one. */
    double rate() {
        return count * 1e9 / totalNs;
    }

    static double medianRate(List<Round> rounds) {
        return rounds.stream()
                .mapToDouble(Round::rate)
                .sorted()
                .skip(rounds.size() / 2)
                .findFirst()
                .orElseThrow();
    }

    /** A percentile of a step over all rounds. */
    static double percentileUs(List<Round> rounds, String step, double percentile) {
        long[] all = rounds.stream()
                .flatMapToLong(round -> LongStream.of(round.steps.get(step)))
                .sorted()
                .toArray();
        return all[(int) Math.min(all.length - 1, percentile * all.length)] / 1e3;
    }
}
