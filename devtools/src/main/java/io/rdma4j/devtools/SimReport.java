// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.tools.report.Axis;
import io.rdma4j.tools.report.Chart;
import io.rdma4j.tools.report.HtmlReport;
import io.rdma4j.tools.report.RunInfo;
import io.rdma4j.tools.report.Series;
import io.rdma4j.tools.report.Table;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** Writes the page with the results of {@code sim}. */
final class SimReport {
    private static final int DIGITS = 3;
    private static final double NS_PER_MS = 1e6;

    /** Result of a run on the page. */
    record Run(long seed, long messages, long packets, long retransmitted, long naks, double millis, int violations) {
        static Run of(RunResult result) {
            return new Run(
                    result.scenario().seed(),
                    result.messages(),
                    result.packets(),
                    result.retransmitted(),
                    result.rnrNaks() + result.sequenceNaks(),
                    result.elapsedNs() / NS_PER_MS,
                    result.violations().size());
        }
    }

    private SimReport() {}

    static HtmlReport of(List<Run> runs) {
        RunInfo info = RunInfo.ofThisProcess()
                .put("runs", Integer.toString(runs.size()))
                .put("time", "virtual");
        return new HtmlReport(
                "Simulated runs",
                info,
                List.of(
                        bySeed(
                                "Packets of each run",
                                "packets",
                                runs,
                                new Curve("sent", Run::packets),
                                new Curve("retransmitted", Run::retransmitted),
                                new Curve("NAKs", Run::naks)),
                        distribution(runs),
                        table(runs)));
    }

    /** A curve over all runs. */
    private record Curve(String name, ToDoubleFunction<Run> value) {}

    private static Chart bySeed(String title, String unit, List<Run> runs, Curve... curves) {
        List<Double> seeds = runs.stream().map(run -> (double) run.seed()).toList();
        List<Series> series = List.of(curves).stream()
                .map(curve -> Series.of(
                        curve.name(),
                        seeds,
                        runs.stream().map(curve.value()::applyAsDouble).toList()))
                .toList();
        return new Chart(title, Axis.LINEAR, "seed", Axis.LOGARITHMIC, unit, series);
    }

    private static Chart distribution(List<Run> runs) {
        Histogram micros = new Histogram(DIGITS);
        runs.forEach(run -> micros.recordValue(Math.max(1, Math.round(run.millis() * 1e3))));
        return new Chart(
                "Virtual time of a run",
                Axis.PERCENTILE,
                "share of runs that took at most so long",
                Axis.LOGARITHMIC,
                "virtual time, ms",
                runs.isEmpty() ? List.of() : List.of(Series.ofDistribution("runs", micros, 1e3)));
    }

    private static Table table(List<Run> runs) {
        long packets = runs.stream().mapToLong(Run::packets).sum();
        long again = runs.stream().mapToLong(Run::retransmitted).sum();
        return new Table(
                "All runs together",
                List.of("runs", "messages", "packets", "retransmitted", "share", "violations"),
                List.of(List.of(
                        Integer.toString(runs.size()),
                        Long.toString(runs.stream().mapToLong(Run::messages).sum()),
                        Long.toString(packets),
                        Long.toString(again),
                        packets == 0 ? "–" : HtmlReport.number(100.0 * again / packets) + " %",
                        Integer.toString(runs.stream().mapToInt(Run::violations).sum()))));
    }
}
