// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Results of a row: a sample for each contender and round. Another thread may print them while the benchmark adds more.
 */
final class RowResult {
    /** Place of a row without numbers. */
    private static final String NOWHERE = "–";

    private final Row row;
    private final Map<Contender, List<Sample>> samples = new LinkedHashMap<>();
    private final Map<Contender, String> failures = new LinkedHashMap<>();
    private String place = NOWHERE;
    private boolean busy;

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

    synchronized void add(Contender contender, Sample sample) {
        samples(contender).add(sample);
    }

    /** Records a failure: the contender does not run again. */
    synchronized void fail(Contender contender, String reason) {
        samples(contender).add(Sample.MISSING);
        failures.put(contender, reason);
    }

    boolean canRun(Contender contender) {
        return !failures.containsKey(contender);
    }

    /** Records that other programs used the CPUs before a round. */
    synchronized void busy() {
        busy = true;
    }

    /**
     * Returns the results of each place apart, without those during which the place has changed. If there are none,
     * this row without numbers.
     */
    synchronized List<RowResult> byPlace() {
        List<RowResult> apart = samples.values().stream()
                .flatMap(List::stream)
                .filter(sample -> !Double.isNaN(sample.value()))
                .map(Sample::place)
                .filter(place -> !place.equals(Placement.MIXED))
                .distinct()
                .map(this::at)
                .toList();
        return apart.isEmpty() ? List.of(at(NOWHERE)) : apart;
    }

    private RowResult at(String place) {
        RowResult part = new RowResult(row);
        part.place = place;
        part.busy = busy;
        part.failures.putAll(failures);
        samples.forEach((contender, all) -> part.samples(contender)
                .addAll(all.stream()
                        .map(sample -> sample.place().equals(place) ? sample : Sample.MISSING)
                        .toList()));
        return part;
    }

    /** The place of all samples, and {@code busy} if other programs used the CPUs. */
    String place() {
        return busy ? place + " busy" : place;
    }

    /** Number of samples that were dropped because the place changed during the run. */
    synchronized long dropped() {
        return samples.values().stream()
                .flatMap(List::stream)
                .filter(sample -> sample.place().equals(Placement.MIXED))
                .count();
    }

    private List<Sample> samples(Contender contender) {
        return samples.computeIfAbsent(contender, _ -> new ArrayList<>());
    }

    private List<Double> values(Contender contender) {
        return samples(contender).stream().map(Sample::value).toList();
    }

    double median(Contender contender) {
        return Figures.median(values(contender));
    }

    /** Medians of the percentiles over the rounds. */
    Tail tail(Contender contender) {
        List<Tail> tails = samples(contender).stream().map(Sample::tail).toList();
        return new Tail(
                Figures.median(tails.stream().map(Tail::p99).toList()),
                Figures.median(tails.stream().map(Tail::p999).toList()));
    }

    /**
     * Median of the rounds' ratios of this project to another program. A round counts if both have a number, so after
     * {@link #byPlace} only if both ran at the same place.
     */
    double ratio(Contender other) {
        List<Double> ours = values(row.ours());
        List<Double> others = values(other);
        return Figures.median(IntStream.range(0, Math.min(ours.size(), others.size()))
                .mapToObj(i -> ours.get(i) / others.get(i))
                .toList());
    }

    boolean isMet() {
        return row.goal()
                .isMet(
                        row.unit(),
                        median(row.ours()),
                        ratioToLimit(),
                        tail(row.ours()).p999());
    }

    /** True if this project and, where the target needs it, the limit have numbers. */
    boolean isKnown() {
        double ours = median(row.ours());
        return !Double.isNaN(ours)
                && row.goal().isKnown(ours, ratioToLimit(), tail(row.ours()).p999());
    }

    /** As {@link #ratio}, to the limit; NaN without one. */
    double ratioToLimit() {
        Contender limit = row.limit();
        return limit == null ? Double.NaN : ratio(limit);
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
        if (row.limit() != null) {
            members.put("limit", row.limit().name());
        }
        members.put("met", isMet());
        members.put("place", place);
        members.put("busy", busy);
        members.put("ratio", number(ratioToLimit()));
        members.put("contenders", samples.keySet().stream().map(this::json).toList());
        return members;
    }

    private Map<String, Object> json(Contender contender) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", contender.name());
        if (canRun(contender)) {
            members.put("median", number(median(contender)));
            if (tail(contender).isKnown()) {
                members.put("p99", number(tail(contender).p99()));
                members.put("p999", number(tail(contender).p999()));
            }
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
