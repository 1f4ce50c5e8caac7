// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.suite.Scenario.Mismatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Messages of the communication manager that the network loses, duplicates or delays, one kind at a time, whichever end
 * sends it. The tools must succeed as without, and Linux keeps no connection.
 */
final class CmMessages {
    /** Messages that a tool sends. */
    private enum Kind {
        REQ(0x10),
        REP(0x13),
        RTU(0x14),
        DREQ(0x15),
        DREP(0x16),
        REJ(0x12),
        SIDR_REQ(0x17),
        SIDR_REP(0x18);

        final int attribute;

        Kind(int attribute) {
            this.attribute = attribute;
        }
    }

    /** What netem does with a message. */
    private enum Trouble {
        /** The first of two is lost. */
        LOST("loss state 100% 100%"),
        DUPLICATED("duplicate 100%"),
        /** Longer than the 6.1 s after which the other messages of the exchange come again. */
        LATE("delay 7s");

        final String profile;

        Trouble(String profile) {
            this.profile = profile;
        }
    }

    private CmMessages() {}

    /** All kinds. */
    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Trouble trouble : Trouble.values()) {
            for (Kind kind : Kind.values()) {
                all.add(with(kind, trouble));
            }
        }
        return all;
    }

    /** The most frequent ones. */
    static List<Scenario> few() {
        return List.of(with(Kind.REQ, Trouble.LOST), with(Kind.REP, Trouble.LOST), with(Kind.DREQ, Trouble.LOST));
    }

    private static Scenario with(Kind kind, Trouble trouble) {
        String name = "cm/" + kind + ' ' + trouble.name().toLowerCase(Locale.ROOT);
        return new Scenario(name, (stage, direction) -> {
            try (Netem netem = Netem.onMessages(stage.guest(), trouble.profile, kind.attribute)) {
                switch (kind) {
                    case REQ, REP, RTU -> connect(stage, direction);
                    case DREQ, DREP -> disconnect(stage, direction);
                    case REJ -> new ToolPair(stage, direction).refuse();
                    case SIDR_REQ -> resolve(stage, direction);
                    case SIDR_REP -> answer(stage, direction, trouble);
                }
                stage.requireNoConnection();
                int impaired = netem.impaired();
                if (impaired == 0) {
                    throw new Mismatch("no " + kind + " was sent");
                }
                return impaired + " impaired";
            }
        });
    }

    private static void connect(Stage stage, Direction direction) throws IOException {
        ToolPair ends = new ToolPair(stage, direction);
        String options = " -C 3 -p " + ToolPair.PORT + " -a " + ends.address();
        ends.play("rping -s" + options, "rping -c -V" + options);
    }

    /**
     * Both ends stay: a tool ends after its last message, and the process of ours then neither repeats a DREQ nor
     * answers one.
     */
    private static void disconnect(Stage stage, Direction direction) throws IOException {
        stage.closeSides();
        Connections ends = Connections.of(stage, direction);
        ends.listen();
        ends.connect();
        ends.disconnect(ends.client(), ends.server());
        stage.closeSides();
    }

    private static void resolve(Stage stage, Direction direction) throws IOException {
        ToolPair ends = new ToolPair(stage, direction);
        ends.play("udaddy -C 3 -b " + ends.address(), "udaddy -C 3 -s " + ends.address());
    }

    /**
     * Linux forgets a request with its answer: if the answer is lost, the program gets the repeated request as a new
     * one. udaddy does not look for it any more, and its client fails, as between two Linux machines. Ours repeats its
     * answer.
     */
    private static void answer(Stage stage, Direction direction, Trouble trouble) throws IOException {
        stage.closeSides();
        boolean isForgotten = trouble == Trouble.LOST && direction == Direction.TO_LINUX;
        Connections.of(stage, direction).resolve(isForgotten ? 2 : 1);
        stage.closeSides();
    }
}
