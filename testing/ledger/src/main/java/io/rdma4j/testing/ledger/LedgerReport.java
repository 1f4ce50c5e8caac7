// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * Results of the last test run for the feature list. Immutable.
 *
 * <p>Totals exclude rows that are declared not applicable; they are counted separately.
 */
public final class LedgerReport {
    private final FeatureList features;
    private final Map<String, Set<Proof>> proved;

    LedgerReport(FeatureList features, Map<String, Set<Proof>> proved) {
        this.features = features;
        this.proved = proved;
    }

    /**
     * Merges the results of all modules.
     *
     * @param root the project's root directory
     * @return empty if no module has test results
     */
    public static Optional<LedgerReport> read(Path root) {
        SortedMap<String, Set<Proof>> proved = LedgerDirectory.merge(root);
        return proved == null ? Optional.empty() : Optional.of(new LedgerReport(FeatureList.committed(), proved));
    }

    /** Returns the subsystems of the list, in its order. */
    public List<Subsystem> subsystems() {
        return features.prefixes().stream().map(this::subsystem).toList();
    }

    /** Returns one subsystem, or empty if the list has no such prefix. */
    public Optional<Subsystem> find(String prefix) {
        return features.prefixes().contains(prefix) ? Optional.of(subsystem(prefix)) : Optional.empty();
    }

    private Subsystem subsystem(String prefix) {
        List<Row> rows = new ArrayList<>();
        for (Feature feature : features.rows()) {
            if (feature.prefix().equals(prefix)) {
                Set<Proof> proofs = proved.getOrDefault(feature.id(), Set.of());
                Optional<String> reason =
                        Optional.ofNullable(features.notApplicable().get(feature.id()));
                rows.add(new Row(
                        feature,
                        features.needed(feature),
                        proofs.stream().sorted().toList(),
                        reason));
            }
        }
        return new Subsystem(prefix, List.copyOf(rows));
    }

    /**
     * A row and its proofs.
     *
     * @param feature the row
     * @param needed the weakest ground that proves it
     * @param proofs the tests that claim it and passed, on any ground
     * @param notApplicable reason why the row is not applicable, if it is not
     */
    public record Row(Feature feature, Ground.Kind needed, List<Proof> proofs, Optional<String> notApplicable) {
        /** True if a test proved it on a ground that the row accepts. */
        public boolean covered() {
            return best().isPresent();
        }

        /** {@return the strongest ground on which it was proved; empty if none is strong enough} */
        public Optional<Ground.Kind> best() {
            return notApplicable.isPresent()
                    ? Optional.empty()
                    : proofs.stream()
                            .map(Proof::ground)
                            .filter(ground -> ground.satisfies(needed))
                            .map(Ground::kind)
                            .max(Comparator.naturalOrder());
        }

        /** {@return whether tests claim it, but on weaker grounds than it requires} */
        public boolean isTooWeak() {
            return notApplicable.isEmpty() && !proofs.isEmpty() && !covered();
        }
    }

    /** The rows of one prefix. */
    public record Subsystem(String prefix, List<Row> rows) {
        /** Number of rows that a test proved. */
        public int covered() {
            return (int) rows.stream().filter(Row::covered).count();
        }

        /** {@return the number of rows whose strongest ground is {@code kind}} */
        public int provedOn(Ground.Kind kind) {
            return (int) rows.stream()
                    .filter(row -> row.best().filter(kind::equals).isPresent())
                    .count();
        }

        /** {@return the number of rows claimed on weaker grounds than they require} */
        public int tooWeak() {
            return (int) rows.stream().filter(Row::isTooWeak).count();
        }

        /** Number of applicable rows. */
        public int total() {
            return rows.size() - notApplicable();
        }

        /** Number of rows that are declared not applicable. */
        public int notApplicable() {
            return (int)
                    rows.stream().filter(row -> row.notApplicable().isPresent()).count();
        }
    }
}
