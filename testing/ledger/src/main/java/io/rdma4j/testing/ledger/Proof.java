// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.util.Comparator;

/**
 * A test that proved a row.
 *
 * @param ground of the test
 * @param test {@code CLASS.METHOD}, {@code CLASS}, or the name of an interoperability scenario
 */
public record Proof(Ground ground, String test) implements Comparable<Proof> {
    private static final Comparator<Proof> ORDER =
            Comparator.comparing(Proof::test).thenComparing(Proof::ground);

    @Override
    public int compareTo(Proof other) {
        return ORDER.compare(this, other);
    }
}
