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
                .map(ResultPage::group)
                .toList();
        if (!groups.isEmpty()) {
            blocks.add(new RatioBars(title, groups));
        }
    }

    private static Group group(RowResult result) {
        Row row = result.row();
        double limit = result.median(row.limit());
        List<Bar> bars = row.contenders().stream()
                .map(contender -> new Bar(
                        contender.name(),
                        result.median(contender) / limit,
                        contender.equals(row.ours()),
                        note(result, contender)))
                .toList();
        double target = row.goal().isRatio() ? row.goal().value() : row.goal().value() / limit;
        return new Group(row.work() + ", " + result.place(), target, bars);
    }

    private static String note(RowResult result, Contender contender) {
        double median = result.median(contender);
        return Double.isNaN(median)
                ? "not measured: " + result.reason(contender)
                : Figures.text(median) + " " + result.row().unit();
    }
}
