// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes the results as text that is also Markdown: the table of targets, and the results of the other programs. */
final class ResultTable {
    private ResultTable() {}

    /**
     * One of the tables.
     *
     * @param rows the first one contains the titles of the columns
     */
    record Part(String title, List<List<String>> rows) {}

    static List<Part> parts(List<RowResult> all) {
        List<RowResult> results =
                all.stream().flatMap(result -> result.byPlace().stream()).toList();
        List<Part> parts = new ArrayList<>();
        List<List<String>> targets = new ArrayList<>();
        targets.add(List.of("work", "place", "limit", "target", "ours", "p99", "p99.9", "ratio", "met"));
        results.forEach(result -> targets.add(target(result)));
        parts.add(new Part("Targets", targets));
        List<List<String>> peers = new ArrayList<>();
        peers.add(List.of("work", "place", "ours", "peer", "theirs", "p99", "p99.9", "ours to theirs", "ahead"));
        results.forEach(result -> result.row().peers().forEach(peer -> peers.add(peer(result, peer))));
        if (peers.size() > 1) {
            parts.add(new Part("Beside other libraries", peers));
        }
        return parts;
    }

    static String text(List<RowResult> results) {
        StringBuilder text = new StringBuilder(machine()).append('\n');
        parts(results).forEach(part -> append(text.append('\n'), part.rows()));
        List<String> missing = missing(results);
        if (!missing.isEmpty()) {
            text.append("\nNot measured:\n\n");
            missing.forEach(line -> text.append("* ").append(line).append('\n'));
        }
        long dropped = results.stream().mapToLong(RowResult::dropped).sum();
        if (dropped > 0) {
            text.append("\nDropped, because the place of the CPUs changed during the run: ")
                    .append(dropped)
                    .append('\n');
        }
        return text.toString();
    }

    private static String machine() {
        Map<String, Object> machine = Placement.machine();
        return String.format(
                Locale.ROOT,
                "%s, %s CPUs (cache shared by %s), %s, %s",
                machine.get("processor"),
                machine.get("cpus"),
                machine.get("lastLevelCacheSharedBy"),
                machine.get("kernel"),
                machine.get("jvm"));
    }

    private static List<String> target(RowResult result) {
        Row row = result.row();
        Unit unit = row.unit();
        Contender limit = row.limit();
        double ratio = result.ratioToLimit();
        Tail tail = result.tail(row.ours());
        return List.of(
                row.work(),
                result.place(),
                limit == null ? "–" : limit.name() + ": " + value(result, limit),
                row.goal().text(unit),
                value(result, row.ours()),
                Figures.text(tail.p99()),
                Figures.text(tail.p999()),
                Double.isNaN(ratio) ? "–" : Figures.text(ratio) + "×",
                result.isKnown() ? yes(result.isMet()) : "–");
    }

    private static List<String> peer(RowResult result, Contender peer) {
        double ratio = result.ratio(peer);
        Tail tail = result.tail(peer);
        return List.of(
                result.row().work(),
                result.place(),
                value(result, result.row().ours()),
                peer.name(),
                value(result, peer),
                Figures.text(tail.p99()),
                Figures.text(tail.p999()),
                Double.isNaN(ratio) ? "–" : Figures.text(ratio) + "×",
                Double.isNaN(ratio) ? "–" : yes(result.isAhead(peer)));
    }

    private static String value(RowResult result, Contender contender) {
        double median = result.median(contender);
        return Double.isNaN(median)
                ? "–"
                : Figures.text(median) + " " + result.row().unit();
    }

    private static String yes(boolean is) {
        return is ? "yes" : "no";
    }

    private static List<String> missing(List<RowResult> results) {
        return results.stream()
                .flatMap(result -> result.row().contenders().stream()
                        .filter(contender -> !result.reason(contender).isEmpty())
                        .map(contender -> contender.name() + ": " + result.reason(contender)))
                .distinct()
                .toList();
    }

    private static void append(StringBuilder text, List<List<String>> rows) {
        int[] widths = IntStream.range(0, rows.getFirst().size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        line(text, rows.getFirst(), widths);
        line(text, Arrays.stream(widths).mapToObj("-"::repeat).toList(), widths);
        rows.subList(1, rows.size()).forEach(row -> line(text, row, widths));
    }

    private static void line(StringBuilder text, List<String> cells, int[] widths) {
        text.append(IntStream.range(0, widths.length)
                .mapToObj(
                        i -> cells.get(i) + " ".repeat(widths[i] - cells.get(i).length()))
                .collect(Collectors.joining(" | ", "| ", " |\n")));
    }
}
