// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.report.Axis;
import io.rdma4j.tools.report.Chart;
import io.rdma4j.tools.report.HtmlReport;
import io.rdma4j.tools.report.ReportBlock;
import io.rdma4j.tools.report.RunInfo;
import io.rdma4j.tools.report.Series;
import io.rdma4j.tools.report.Table;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Writes the page with the result of a ping-pong. */
final class PingPongReport {
    private static final double NS_PER_US = 1e3;
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    private PingPongReport() {}

    static HtmlReport of(
            String program,
            String device,
            PingPongOptions options,
            PingPongAddress local,
            PingPongAddress remote,
            PingPongResult result,
            Histogram times) {
        RunInfo info = RunInfo.ofThisProcess()
                .put("device", device)
                .put("path MTU", options.pathMtu().bytes() + " bytes")
                .put("GID", local.gid() + " to " + remote.gid())
                .put("message", options.sizeBytes() + " bytes")
                .put("iterations", Integer.toString(options.iterations()))
                .put("completions", options.events() ? "events" : "polling");
        List<ReportBlock> blocks = new ArrayList<>();
        if (times.getTotalCount() > 0) {
            blocks.add(new Chart(
                    "Round trips by percentile",
                    Axis.PERCENTILE,
                    "share of round trips that took at most so long",
                    Axis.LOGARITHMIC,
                    "round trip, µs",
                    List.of(Series.ofDistribution("round trips", times, NS_PER_US))));
        }
        blocks.add(table(result, times));
        return new HtmlReport(program, info, blocks);
    }

    private static Table table(PingPongResult result, Histogram times) {
        List<String> headers = new ArrayList<>(List.of("average µs", "min"));
        List<String> cells = new ArrayList<>(List.of(
                HtmlReport.number(result.usecPerIteration()), HtmlReport.number(times.getMinValue() / NS_PER_US)));
        for (double percentile : PERCENTILES) {
            headers.add(HtmlReport.number(percentile) + " %");
            cells.add(HtmlReport.number(times.getValueAtPercentile(percentile) / NS_PER_US));
        }
        headers.add("max");
        cells.add(HtmlReport.number(times.getMaxValue() / NS_PER_US));
        return new Table("Round trips, µs", headers, List.of(cells));
    }
}
