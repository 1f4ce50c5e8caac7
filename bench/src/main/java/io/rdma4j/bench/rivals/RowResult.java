// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Results of a row: a number for each contender and round, NaN for missing ones. */
final class RowResult {
    private final Row row;
    private final Map<Contender, List<Double>> samples = new LinkedHashMap<>();
    private final Map<Contender, String> failures = new LinkedHashMap<>();
    private final Set<String> places = new LinkedHashSet<>();

    RowResult(Row row) {
        this.row = row;
        for (Contender contender : row.contenders()) {
            samples.put(contender, new ArrayList<>());
            if (contender.missing() != null) {
                failures.put(contender, contender.missing());
            }
        }
    }

    Row row() {
        return row;
    }

    void add(Contender contender, double value) {
        values(contender).add(value);
    }

    /** Records a failure: the contender does not run again. */
    void fail(Contender contender, String reason) {
        values(contender).add(Double.NaN);
        failures.put(contender, reason);
    }

    boolean canRun(Contender contender) {
        return !failures.containsKey(contender);
    }

    /** Records the CPU placement of a round. */
    void place(String place) {
        places.add(place);
    }

    Set<String> places() {
        return places;
    }

    private List<Double> values(Contender contender) {
        return samples.computeIfAbsent(contender, _ -> new ArrayList<>());
    }

    double median(Contender contender) {
        return Figures.median(values(contender));
    }

    /**
     * Median of the rounds' ratios of this project to another program; both numbers of a round have the same machine
     * state.
     */
    double ratio(Contender other) {
        List<Double> ours = values(row.ours());
        List<Double> others = values(other);
        return Figures.median(IntStream.range(0, Math.min(ours.size(), others.size()))
                .mapToObj(i -> ours.get(i) / others.get(i))
                .toList());
    }

    boolean isMet() {
        return row.goal().isMet(row.unit(), median(row.ours()), ratio(row.limit()));
    }

    /** True if this project is at least as good as another program. */
    boolean isAhead(Contender peer) {
        return row.unit().isAhead(ratio(peer), 1);
    }

    /** Reason for a missing number of a contender; empty if there is one. */
    String reason(Contender contender) {
        return failures.getOrDefault(contender, "");
    }

    /** Members of the JSON document. */
    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", row.id());
        members.put("work", row.work());
        members.put("unit", row.unit());
        members.put("target", row.goal().text(row.unit()));
        members.put("limit", row.limit().name());
        members.put("ratio", number(ratio(row.limit())));
        members.put("met", isMet());
        members.put("places", places);
        members.put("contenders", samples.keySet().stream().map(this::json).toList());
        return members;
    }

    private Map<String, Object> json(Contender contender) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", contender.name());
        if (canRun(contender)) {
            members.put("median", number(median(contender)));
            members.put(
                    "samples", values(contender).stream().map(RowResult::number).toList());
            members.put("oursToThis", number(ratio(contender)));
        } else {
            members.put("missing", reason(contender));
        }
        return members;
    }

    /** JSON has no NaN. */
    private static Object number(double value) {
        return Double.isFinite(value) ? value : "none";
    }
}
