package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.WcStatus;
import io.rdma4j.wire.NakCode;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The responder's table of verdicts, held against a copy that people read and compare with the specification. */
class VerdictTableTest {
    @Test
    void tableIsTheOneThatWasReviewed() throws IOException {
        assertThat(table()).isEqualTo(LadderTest.golden("/verdicts.txt"));
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
        return nak == null || !verdict.isFatal() ? null : Completer.status(nak);
    }

    private static String row(@Nullable Object... cells) {
        Object[] texts = Arrays.stream(cells)
                .map(cell -> cell == null ? "-" : cell.toString())
                .toArray();
        return String.format(Locale.ROOT, "%-21s %-24s %-15s %-15s %-13s %s%n", texts);
    }
}
