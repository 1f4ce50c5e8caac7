// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Records which rows a run of the interoperability scenarios proved.
 *
 * <p>{@code spec/interop.csv} lists the rows that a scenario proves. A name that ends with {@code *} matches all
 * scenarios with that prefix.
 */
public final class InteropLedger {
    /**
     * System property of a test run: directory of the ledger; default {@code target/ledger} below the project's root.
     */
    public static final String DIRECTORY = LedgerListener.DIRECTORY;

    private final Map<String, List<String>> claims = new LinkedHashMap<>();

    /**
     * Parses the claims of a table.
     *
     * @param table text of {@code interop.csv}
     * @throws IllegalArgumentException if a claim names a row that does not exist or is not applicable
     */
    InteropLedger(String table, FeatureList features) {
        for (List<String> record : Csv.parse(table, List.of("scenario", "rows"))) {
            List<String> rows = List.of(record.get(1).split(" "));
            for (String row : rows) {
                String complaint = features.complaint(row);
                if (complaint != null) {
                    throw new IllegalArgumentException("interop.csv: " + record.getFirst() + ": " + complaint);
                }
            }
            claims.put(record.getFirst(), rows);
        }
    }

    /** Returns the claims of this build. */
    public static InteropLedger committed() {
        return new InteropLedger(FeatureList.text("interop.csv"), FeatureList.committed());
    }

    /** {@return the names of scenarios in the table; they may end with an asterisk} */
    public Set<String> scenarios() {
        return Set.copyOf(claims.keySet());
    }

    /** {@return whether a name of the table matches the scenario} */
    public static boolean matches(String named, String scenario) {
        return named.endsWith("*")
                ? scenario.startsWith(named.substring(0, named.length() - 1))
                : scenario.equals(named);
    }

    /**
     * Replaces the proofs of an earlier run of the scenarios.
     *
     * @param directory created if it does not exist
     * @param file name of the ledger
     * @param passed the scenarios of the run, and whether each passed in all directions and set-ups
     */
    public void write(Path directory, String file, Map<String, Boolean> passed) {
        new LedgerDirectory(directory).write(file, proved(passed));
    }

    SortedMap<String, Set<Proof>> proved(Map<String, Boolean> passed) {
        SortedMap<String, Set<Proof>> proved = new TreeMap<>();
        passed.forEach((scenario, well) -> claims.forEach((named, rows) -> {
            if (well && matches(named, scenario)) {
                rows.forEach(row ->
                        proved.computeIfAbsent(row, _ -> new TreeSet<>()).add(new Proof(Ground.INTEROP, scenario)));
            }
        }));
        return proved;
    }
}
