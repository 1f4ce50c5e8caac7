// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.transport.requester.Outcome;
import io.rdma4j.transport.responder.Verdict;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.NakCode;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The tables of verdicts and outcomes, held against copies that people read and compare with the specification. */
class VerdictTableTest {
    @Test
    void tableIsTheOneThatWasReviewed() throws IOException {
        assertThat(table()).isEqualTo(LadderTest.golden("/verdicts.txt"));
    }

    @Test
    void tableOfOutcomesIsTheOneThatWasReviewed() throws IOException {
        assertThat(outcomes()).isEqualTo(LadderTest.golden("/outcomes.txt"));
    }

    private static String outcomes() {
        return Arrays.stream(Outcome.values())
                .map(outcome -> outcomeRow(
                        outcome,
                        outcome.isRetried() ? "yes" : null,
                        outcome.status(),
                        outcome.isFatal() ? "ERR" : null))
                .collect(Collectors.joining("", outcomeRow("outcome", "again", "then the request", "then the QP"), ""));
    }

    private static String table() {
        String head = row("verdict", "NAK", "peer's request", "receive", "event", "QP");
        return Arrays.stream(Verdict.values())
                .map(verdict -> row(
                        verdict,
                        verdict.nak(),
                        peerStatus(verdict),
                        verdict.receiveStatus(),
                        verdict.event(),
                        verdict.isFatal() ? "ERR" : null))
                .collect(Collectors.joining("", head, ""));
    }

    /** How the peer's request ends; null if it is sent again. */
    private static @Nullable WcStatus peerStatus(Verdict verdict) {
        NakCode nak = verdict.nak();
        return nak == null || !verdict.isFatal() ? null : Outcome.of(nak).status();
    }

    private static String row(@Nullable Object... cells) {
        return String.format(Locale.ROOT, "%-21s %-24s %-15s %-15s %-13s %s%n", texts(cells));
    }

    private static String outcomeRow(@Nullable Object... cells) {
        return String.format(Locale.ROOT, "%-18s %-5s %-17s %s%n", texts(cells));
    }

    private static Object[] texts(@Nullable Object... cells) {
        return Arrays.stream(cells)
                .map(cell -> cell == null ? "-" : cell.toString())
                .toArray();
    }
}
