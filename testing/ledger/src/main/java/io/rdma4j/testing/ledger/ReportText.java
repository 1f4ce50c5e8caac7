package io.rdma4j.testing.ledger;

import io.rdma4j.testing.ledger.LedgerReport.Row;
import io.rdma4j.testing.ledger.LedgerReport.Subsystem;
import java.util.ArrayList;
import java.util.List;

/** A report for people: {@code QP 12/78}, a line for each subsystem, and on demand a line for each row. */
public final class ReportText {
    private ReportText() {}

    /**
     * The lines without line ends.
     *
     * @param rows whether each row is listed below its subsystem
     */
    public static List<String> lines(List<Subsystem> subsystems, boolean rows) {
        List<String> lines = new ArrayList<>();
        for (Subsystem subsystem : subsystems) {
            lines.add(subsystem.prefix() + " "
                    + fraction(subsystem.covered(), subsystem.total(), subsystem.notApplicable()));
            if (rows) {
                subsystem.rows().forEach(row -> addRow(lines, row));
            }
        }
        if (subsystems.size() > 1) {
            lines.add("total "
                    + fraction(
                            subsystems.stream().mapToInt(Subsystem::covered).sum(),
                            subsystems.stream().mapToInt(Subsystem::total).sum(),
                            subsystems.stream()
                                    .mapToInt(Subsystem::notApplicable)
                                    .sum()));
        }
        return lines;
    }

    private static String fraction(int covered, int total, int notApplicable) {
        String fraction = covered + "/" + total;
        return notApplicable == 0 ? fraction : fraction + " (+" + notApplicable + " not applicable)";
    }

    private static void addRow(List<String> lines, Row row) {
        String mark = row.notApplicable().isPresent() ? "-" : row.covered() ? "x" : " ";
        lines.add("  [" + mark + "] " + row.feature().id() + " " + row.feature().title());
        row.notApplicable().ifPresent(reason -> lines.add("        not applicable: " + reason));
        row.tests().forEach(test -> lines.add("        " + test));
    }
}
