// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import io.rdma4j.testing.ledger.LedgerReport.Row;
import io.rdma4j.testing.ledger.LedgerReport.Subsystem;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes a report as JSON: an array of {@code {"prefix","covered","total","notApplicable","tooWeak","grounds"}},
 * optionally with the rows.
 */
public final class ReportJson {
    private ReportJson() {}

    /**
     * Returns the document on one line.
     *
     * @param subsystems of the report
     * @param rows whether each subsystem has a member {@code rows}
     */
    public static String text(List<Subsystem> subsystems, boolean rows) {
        return subsystems.stream()
                .map(subsystem -> subsystem(subsystem, rows))
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static String subsystem(Subsystem subsystem, boolean rows) {
        String members = "\"prefix\":" + quoted(subsystem.prefix()) + ",\"covered\":" + subsystem.covered()
                + ",\"total\":" + subsystem.total() + ",\"notApplicable\":" + subsystem.notApplicable()
                + ",\"tooWeak\":" + subsystem.tooWeak()
                + Arrays.stream(Ground.Kind.values())
                        .map(kind -> quoted(kind.label()) + ":" + subsystem.provedOn(kind))
                        .collect(Collectors.joining(",", ",\"grounds\":{", "}"));
        if (rows) {
            members +=
                    subsystem.rows().stream().map(ReportJson::row).collect(Collectors.joining(",", ",\"rows\":[", "]"));
        }
        return "{" + members + "}";
    }

    private static String row(Row row) {
        String members = "\"id\":" + quoted(row.feature().id()) + ",\"title\":"
                + quoted(row.feature().title()) + ",\"needs\":"
                + quoted(row.needed().label()) + ",\"covered\":"
                + row.covered()
                + row.proofs().stream().map(ReportJson::proof).collect(Collectors.joining(",", ",\"proofs\":[", "]"));
        return "{" + members
                + row.notApplicable()
                        .map(reason -> ",\"notApplicable\":" + quoted(reason))
                        .orElse("") + "}";
    }

    private static String proof(Proof proof) {
        return "{\"ground\":" + quoted(proof.ground().toString()) + ",\"test\":" + quoted(proof.test()) + "}";
    }

    /** Escapes the characters that RFC 8259 requires. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
