// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedCollection;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The feature list, in the order of {@code spec/features.csv}, with the rows that are declared not applicable and the
 * ground that each row requires. Immutable.
 */
public final class FeatureList {
    private final SequencedMap<String, Feature> byId = new LinkedHashMap<>();
    private final SequencedMap<String, String> notApplicable = new LinkedHashMap<>();
    private final Map<String, Ground.Kind> needed = new HashMap<>();

    /**
     * @param features text of {@code features.csv}
     * @param notApplicable text of {@code not-applicable.csv}
     * @param grounds text of {@code grounds.csv}
     * @throws IllegalArgumentException if an id occurs twice or does not begin with its prefix; if a row is dropped
     *     that does not exist or has no reason; or if a ground is required for an unknown row or prefix
     */
    FeatureList(String features, String notApplicable, String grounds) {
        for (List<String> record : Csv.parse(features, List.of("id", "prefix", "title", "what"))) {
            add(new Feature(record.get(0), record.get(1), record.get(2), record.get(3)));
        }
        for (List<String> record : Csv.parse(notApplicable, List.of("id", "reason"))) {
            drop(record.get(0), record.get(1));
        }
        for (List<String> record : Csv.parse(grounds, List.of("rows", "ground", "reason"))) {
            need(record.get(0), Ground.parse(record.get(1)).kind(), record.get(2));
        }
    }

    private void need(String rows, Ground.Kind kind, String reason) {
        if (!byId.containsKey(rows) && !prefixes().contains(rows)
                || reason.isBlank()
                || needed.put(rows, kind) != null) {
            throw new IllegalArgumentException("grounds: " + rows
                    + " must be a row or a prefix of the feature list, occur once and have a reason");
        }
    }

    private void add(Feature feature) {
        if (!feature.id().startsWith(feature.prefix() + "-")) {
            throw new IllegalArgumentException(feature.id() + " does not begin with its prefix " + feature.prefix());
        }
        if (byId.put(feature.id(), feature) != null) {
            throw new IllegalArgumentException(feature.id() + " occurs twice in the feature list");
        }
    }

    private void drop(String id, String reason) {
        if (!byId.containsKey(id) || reason.isBlank() || notApplicable.put(id, reason) != null) {
            throw new IllegalArgumentException(
                    "not applicable: " + id + " must be a row of the feature list, occur once and have a reason");
        }
    }

    /** Returns the list of this build. */
    public static FeatureList committed() {
        return Committed.LIST;
    }

    /** Returns all rows. */
    public SequencedCollection<Feature> rows() {
        return List.copyOf(byId.values());
    }

    /** Returns all prefixes, in the order of the list. */
    public SequencedSet<String> prefixes() {
        return byId.values().stream().map(Feature::prefix).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** {@return the weakest ground that proves a row: that of its id, or of its prefix, or core} */
    public Ground.Kind needed(Feature feature) {
        Ground.Kind ofPrefix = needed.getOrDefault(feature.prefix(), Ground.Kind.CORE);
        return needed.getOrDefault(feature.id(), ofPrefix);
    }

    /** True if there is such a row. */
    public boolean contains(String id) {
        return byId.containsKey(id);
    }

    /** Returns the rows that are declared not applicable: id to reason. */
    public Map<String, String> notApplicable() {
        return Map.copyOf(notApplicable);
    }

    /** {@return the reason why a claim of the row is invalid, or null} */
    @Nullable
    String complaint(String id) {
        if (!contains(id)) {
            return "@Covers(\"" + id + "\"): no such row in spec/features.csv";
        }
        String reason = notApplicable.get(id);
        return reason == null
                ? null
                : "@Covers(\"" + id + "\"): spec/not-applicable.csv says this row cannot be proved: " + reason;
    }

    /** Returns the text of a table of {@code spec/}. */
    static String text(String resource) {
        try (InputStream in = FeatureList.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the ledger's jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Loads the list at its first use. */
    private static final class Committed {
        static final FeatureList LIST =
                new FeatureList(text("features.csv"), text("not-applicable.csv"), text("grounds.csv"));
    }
}
