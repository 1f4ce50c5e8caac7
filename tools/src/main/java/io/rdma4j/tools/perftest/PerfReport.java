package io.rdma4j.tools.perftest;

import io.rdma4j.tools.plot.Plot;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A page that shows the result of a test: a plot and a table. Self-contained HTML, nothing is loaded from elsewhere. */
final class PerfReport {
    private static final String[] COLOURS = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b"};

    private PerfReport() {}

    /** The text of the page. */
    static String page(String title, PerfSession session, PerfOptions options) {
        String body = session.bandwidths().isEmpty()
                ? latency(session.latencies())
                : bandwidth(session.bandwidths(), options.gigabits() ? "Gb/s" : "MiB/s");
        return """
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>%1$s</title>
                <style>
                body { font: 15px sans-serif; margin: 2em; max-width: 60em }
                table { border-collapse: collapse } td, th { padding: .2em .8em; text-align: right; border-bottom: 1px solid #ccc }
                svg text { font: 12px sans-serif } .grid { stroke: #ddd } .curve { fill: none; stroke-width: 2 }
                </style></head><body>
                <h1>%1$s</h1>
                <p>%2$s, %3$d QPs, %4$s</p>
                %5$s
                </body></html>
                """.formatted(
                title,
                options.connection().service(),
                options.load().queuePairs(),
                options.isTimed() ? options.durationS() + " s" : options.load().iterations() + " iterations",
                body);
    }

    /** Latency over the share of messages that had at most that: the last nines are where trouble shows. */
    private static String latency(List<LatencyResult> results) {
        double most = results.stream().mapToDouble(LatencyResult::maxUs).max().orElse(1);
        Plot plot = new Plot("percentile", "µs", LatencyResult.PERCENTILES.length, most);
        for (int i = 0; i < LatencyResult.PERCENTILES.length; i++) {
            plot.label(i, Plot.number(LatencyResult.PERCENTILES[i]) + "%");
        }
        plot.label(LatencyResult.PERCENTILES.length, "max");
        StringBuilder rows = new StringBuilder("<tr><th>bytes</th><th>messages</th><th>min</th>");
        for (double percentile : LatencyResult.PERCENTILES) {
            rows.append("<th>").append(Plot.number(percentile)).append("%</th>");
        }
        rows.append("<th>max µs</th></tr>\n");
        for (int r = 0; r < results.size(); r++) {
            LatencyResult result = results.get(r);
            List<Double> values = IntStream.rangeClosed(0, LatencyResult.PERCENTILES.length)
                    .mapToObj(i -> i < LatencyResult.PERCENTILES.length
                            ? result.percentileUs(LatencyResult.PERCENTILES[i])
                            : result.maxUs())
                    .toList();
            plot.curve(result.sizeBytes() + " bytes", COLOURS[r % COLOURS.length], values);
            rows.append(row(result.sizeBytes(), result.messages(), result.minUs(), values));
        }
        return plot.svg() + "<table>\n" + rows + "</table>";
    }

    private static String bandwidth(List<BandwidthResult> results, String unit) {
        double most = results.stream()
                .mapToDouble(result -> Math.max(result.average(), result.peak()))
                .max()
                .orElse(1);
        Plot plot = new Plot("bytes", unit, Math.max(1, results.size() - 1), most);
        StringBuilder rows = new StringBuilder("<tr><th>bytes</th><th>messages</th><th>peak</th><th>average " + unit
                + "</th><th>million messages/s</th></tr>\n");
        for (int i = 0; i < results.size(); i++) {
            BandwidthResult result = results.get(i);
            plot.label(i, size(result.sizeBytes()));
            rows.append(row(
                    result.sizeBytes(),
                    result.messages(),
                    result.peak(),
                    List.of(result.average(), result.messageRate())));
        }
        plot.curve(
                "average",
                COLOURS[0],
                results.stream().map(BandwidthResult::average).toList());
        plot.curve(
                "peak", COLOURS[1], results.stream().map(BandwidthResult::peak).toList());
        return plot.svg() + "<table>\n" + rows + "</table>";
    }

    private static String row(long size, long messages, double first, List<Double> others) {
        String cells = others.stream()
                .map(value -> "<td>" + Plot.number(value) + "</td>")
                .collect(Collectors.joining());
        return "<tr><td>" + size + "</td><td>" + messages + "</td><td>" + Plot.number(first) + "</td>" + cells
                + "</tr>\n";
    }

    private static String size(int bytes) {
        return bytes >= 1 << 20 ? (bytes >> 20) + "M" : bytes >= 1 << 10 ? (bytes >> 10) + "K" : "" + bytes;
    }
}
