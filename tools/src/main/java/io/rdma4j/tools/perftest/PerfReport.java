// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.tools.report.Axis;
import io.rdma4j.tools.report.Chart;
import io.rdma4j.tools.report.HtmlReport;
import io.rdma4j.tools.report.ReportBlock;
import io.rdma4j.tools.report.RunInfo;
import io.rdma4j.tools.report.Series;
import io.rdma4j.tools.report.Table;
import io.rdma4j.verbs.Device;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Writes the page with the result of a performance test. */
final class PerfReport {
    private PerfReport() {}

    static HtmlReport of(String title, PerfSession session, PerfOptions options, Device device) {
        RunInfo info = RunInfo.ofThisProcess()
                .put("device", device.name())
                .put("connection", Verb.name(options.connection().service()))
                .put("queue pairs", Integer.toString(options.load().queuePairs()))
                .put("path MTU", session.mtu().bytes() + " bytes")
                .put("GID", session.local().getFirst().gid().toString())
                .put("completions", options.events() ? "events" : "polling")
                .put(
                        "messages",
                        options.isTimed()
                                ? "for " + options.durationS() + " s"
                                : options.load().iterations() + " of each size");
        List<ReportBlock> blocks = session.bandwidths().isEmpty()
                ? latency(session.latencies())
                : bandwidth(session.bandwidths(), options.gigabits() ? "Gbit/s" : "MiB/s");
        return new HtmlReport(title, info, blocks);
    }

    private static List<ReportBlock> latency(List<LatencyResult> results) {
        List<ReportBlock> blocks = new ArrayList<>();
        blocks.add(new Chart(
                "Latency by percentile",
                Axis.PERCENTILE,
                "share of messages that took at most so long",
                Axis.LOGARITHMIC,
                "latency, µs",
                Chart.selection(results).stream()
                        .map(LatencyResult::distribution)
                        .toList()));
        if (results.size() > 1) {
            List<Double> sizes =
                    results.stream().map(result -> (double) result.sizeBytes()).toList();
            blocks.add(new Chart(
                    "Latency by message size",
                    Axis.BYTES,
                    "message size, bytes",
                    Axis.LOGARITHMIC,
                    "latency, µs",
                    List.of(
                            Series.of("minimum", sizes, values(results, LatencyResult::minUs)),
                            Series.of("median", sizes, values(results, result -> result.percentileUs(50))),
                            Series.of("99 %", sizes, values(results, result -> result.percentileUs(99))),
                            Series.of("maximum", sizes, values(results, LatencyResult::maxUs)))));
        }
        blocks.add(latencyTable(results));
        return blocks;
    }

    private static Table latencyTable(List<LatencyResult> results) {
        List<String> headers = new ArrayList<>(List.of("bytes", "messages", "min"));
        for (double percentile : LatencyResult.PERCENTILES) {
            headers.add(trimmed(percentile) + " %");
        }
        headers.add("max");
        List<List<String>> rows = new ArrayList<>();
        for (LatencyResult result : results) {
            List<String> cells = new ArrayList<>(List.of(
                    Integer.toString(result.sizeBytes()),
                    Long.toString(result.messages()),
                    HtmlReport.number(result.minUs())));
            for (double percentile : LatencyResult.PERCENTILES) {
                // With few messages a high percentile equals the maximum and is omitted.
                cells.add(result.knows(percentile) ? HtmlReport.number(result.percentileUs(percentile)) : "–");
            }
            cells.add(HtmlReport.number(result.maxUs()));
            rows.add(cells);
        }
        return new Table("Latency, µs", headers, rows);
    }

    private static List<ReportBlock> bandwidth(List<BandwidthResult> results, String unit) {
        List<Double> sizes =
                results.stream().map(result -> (double) result.sizeBytes()).toList();
        List<Series> curves = new ArrayList<>();
        curves.add(Series.of("average", sizes, values(results, BandwidthResult::average)));
        if (results.stream().anyMatch(result -> result.peak() > 0)) {
            curves.add(Series.of("peak", sizes, values(results, BandwidthResult::peak)));
        }
        List<List<String>> rows = results.stream()
                .map(result -> List.of(
                        Integer.toString(result.sizeBytes()),
                        Long.toString(result.messages()),
                        result.peak() > 0 ? HtmlReport.number(result.peak()) : "–",
                        HtmlReport.number(result.average()),
                        HtmlReport.number(result.messageRate())))
                .toList();
        return List.of(
                new Chart("Bandwidth", Axis.BYTES, "message size, bytes", Axis.LINEAR, unit, curves),
                new Chart(
                        "Message rate",
                        Axis.BYTES,
                        "message size, bytes",
                        Axis.LOGARITHMIC,
                        "million messages a second",
                        List.of(Series.of("messages", sizes, values(results, BandwidthResult::messageRate)))),
                new Table(
                        "Results",
                        List.of("bytes", "messages", "peak " + unit, "average " + unit, "million messages/s"),
                        rows));
    }

    private static <T> List<Double> values(List<T> results, ToDoubleFunction<T> value) {
        return results.stream().map(value::applyAsDouble).toList();
    }

    private static String trimmed(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
