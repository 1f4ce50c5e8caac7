// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.util.Comparator;
import java.util.Locale;

/**
 * The ground of a proof, from the weakest to the strongest: {@code core}, {@code device}, {@code carrier:NAME}, {@code
 * interop}.
 *
 * @param kind part of the product that was tested
 * @param carrier transport of packets or commands; empty unless the kind is {@link Kind#CARRIER}
 */
public record Ground(Kind kind, String carrier) implements Comparable<Ground> {
    /** Part of the product that was tested. */
    public enum Kind {
        /** A part of the library alone, or the verbs core over a test double. */
        CORE,
        /** The device that users open, or the net_device layer, in one process and without a network. */
        DEVICE,
        /** The device over a named transport: sockets, shared memory, a server process, a simulated network. */
        CARRIER,
        /** The device together with Linux {@code rdma_rxe} and rdma-core. */
        INTEROP;

        /** {@return the name in ledgers, in {@code grounds.csv} and in reports} */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The weakest ground. */
    public static final Ground CORE = new Ground(Kind.CORE, "");

    /** The ground of tests with Linux as the peer. */
    public static final Ground INTEROP = new Ground(Kind.INTEROP, "");

    private static final String CARRIER_PREFIX = "carrier:";

    /**
     * Parses the format of {@link #toString}.
     *
     * @throws IllegalArgumentException if there is no such ground
     */
    public static Ground parse(String text) {
        if (text.startsWith(CARRIER_PREFIX) && text.length() > CARRIER_PREFIX.length()) {
            return new Ground(Kind.CARRIER, text.substring(CARRIER_PREFIX.length()));
        }
        for (Kind kind : Kind.values()) {
            if (kind != Kind.CARRIER && kind.label().equals(text)) {
                return new Ground(kind, "");
            }
        }
        throw new IllegalArgumentException(
                "there is no ground '" + text + "'; there are core, device, carrier:NAME and interop");
    }

    /** {@return whether this ground proves a row that requires {@code wanted}} */
    public boolean satisfies(Kind wanted) {
        return kind.compareTo(wanted) >= 0;
    }

    @Override
    public int compareTo(Ground other) {
        return Comparator.comparing(Ground::kind).thenComparing(Ground::carrier).compare(this, other);
    }

    @Override
    public String toString() {
        return kind == Kind.CARRIER ? CARRIER_PREFIX + carrier : kind.label();
    }
}
