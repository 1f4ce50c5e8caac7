// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import io.rdma4j.testing.ledger.LedgerReport.Row;
import io.rdma4j.testing.ledger.LedgerReport.Subsystem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Writes a report as text: {@code QP 12/78: core 2, device 4, carrier 6}, a line for each subsystem, and optionally a
 * line for each row. A row counts once, on the strongest ground that proved it.
 */
public final class ReportText {
    private ReportText() {}

    /**
     * Returns the lines without line ends.
     *
     * @param subsystems of the report
     * @param rows whether each row is listed below its subsystem
     */
    public static List<String> lines(List<Subsystem> subsystems, boolean rows) {
        List<String> lines = new ArrayList<>();
        for (Subsystem subsystem : subsystems) {
            lines.add(line(subsystem.prefix(), List.of(subsystem)));
            if (rows) {
                subsystem.rows().forEach(row -> addRow(lines, row));
            }
        }
        if (subsystems.size() > 1) {
            lines.add(line("total", subsystems));
        }
        return lines;
    }

    private static String line(String name, List<Subsystem> of) {
        int dropped = sum(of, Subsystem::notApplicable);
        String fraction = name + " " + sum(of, Subsystem::covered) + "/" + sum(of, Subsystem::total)
                + (dropped == 0 ? "" : " (+" + dropped + " not applicable)");
        List<String> split = new ArrayList<>();
        for (Ground.Kind kind : Ground.Kind.values()) {
            int rows = sum(of, subsystem -> subsystem.provedOn(kind));
            if (rows > 0) {
                split.add(kind.label() + " " + rows);
            }
        }
        int weak = sum(of, Subsystem::tooWeak);
        if (weak > 0) {
            split.add("claimed on too weak a ground " + weak);
        }
        return split.isEmpty() ? fraction : fraction + ": " + String.join(", ", split);
    }

    private static int sum(List<Subsystem> of, ToIntFunction<Subsystem> what) {
        return of.stream().mapToInt(what).sum();
    }

    private static void addRow(List<String> lines, Row row) {
        String mark = row.notApplicable().isPresent() ? "-" : row.covered() ? "x" : row.isTooWeak() ? "w" : " ";
        lines.add("  [" + mark + "] " + row.feature().id() + " " + row.feature().title());
        row.notApplicable().ifPresent(reason -> lines.add("        not applicable: " + reason));
        if (row.isTooWeak()) {
            lines.add("        needs " + row.needed().label() + " or better");
        }
        row.proofs().forEach(proof -> lines.add("        " + proof.ground() + "  " + proof.test()));
    }
}
