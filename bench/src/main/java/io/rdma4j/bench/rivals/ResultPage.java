// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import io.rdma4j.tools.report.HtmlReport;
import io.rdma4j.tools.report.RatioBars;
import io.rdma4j.tools.report.RatioBars.Bar;
import io.rdma4j.tools.report.RatioBars.Group;
import io.rdma4j.tools.report.ReportBlock;
import io.rdma4j.tools.report.RunInfo;
import io.rdma4j.tools.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes the results as a page: all programs as multiples of the limit, row by row, with the target, and the tables.
 */
final class ResultPage {
    private ResultPage() {}

    static HtmlReport of(List<RowResult> results, int runs) {
        RunInfo info = RunInfo.ofThisProcess().put("rounds", runs + ", all programs in turn; the figures are medians");
        Placement.machine().forEach((name, value) -> info.put(name, String.valueOf(value)));
        List<ReportBlock> blocks = new ArrayList<>();
        addBars(blocks, "Times, as multiples of the limit: less is better", results, false);
        addBars(blocks, "Rates, as multiples of the limit: more is better", results, true);
        for (ResultTable.Part part : ResultTable.parts(results)) {
            blocks.add(new Table(
                    part.title(),
                    part.rows().getFirst(),
                    part.rows().subList(1, part.rows().size())));
        }
        return new HtmlReport("rdma4j beside the machine's limits and other libraries", info, blocks);
    }

    private static void addBars(List<ReportBlock> blocks, String title, List<RowResult> all, boolean moreIsBetter) {
        List<Group> groups = all.stream()
                .flatMap(result -> result.byPlace().stream())
                .filter(result -> result.row().unit().moreIsBetter() == moreIsBetter)
                .flatMap(result -> group(result).stream())
                .toList();
        if (!groups.isEmpty()) {
            blocks.add(new RatioBars(title, groups));
        }
    }

    /** Returns the bars of a row; empty for a row without a limit. */
    private static Optional<Group> group(RowResult result) {
        Row row = result.row();
        if (row.limit() == null) {
            return Optional.empty();
        }
        double limit = result.median(row.limit());
        List<Bar> bars = row.contenders().stream()
                .map(contender -> new Bar(
                        contender.name(),
                        result.median(contender) / limit,
                        contender.equals(row.ours()),
                        note(result, contender)))
                .toList();
        return Optional.of(
                new Group(row.work() + ", " + result.place(), row.goal().toLimit(limit), bars));
    }

    private static String note(RowResult result, Contender contender) {
        double median = result.median(contender);
        return Double.isNaN(median)
                ? "not measured: " + result.reason(contender)
                : Figures.text(median) + " " + result.row().unit();
    }
}
