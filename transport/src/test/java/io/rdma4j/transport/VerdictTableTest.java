package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The responder's table of verdicts, held against a copy that people read and compare with the specification. */
class VerdictTableTest {
    @Test
    void tableIsTheOneThatWasReviewed() throws IOException {
        try (InputStream golden = VerdictTableTest.class.getResourceAsStream("/verdicts.txt")) {
            String expected =
                    new String(Objects.requireNonNull(golden, "verdicts.txt").readAllBytes(), StandardCharsets.UTF_8);
            assertThat(table()).isEqualTo(expected);
        }
    }

    private static String table() {
        String head = row("verdict", "NAK", "receive", "event", "QP");
        return Arrays.stream(Verdict.values())
                .map(verdict -> row(
                        verdict,
                        verdict.nak(),
                        verdict.receiveStatus(),
                        verdict.event(),
                        verdict.isFatal() ? "ERR" : null))
                .collect(Collectors.joining("", head, ""));
    }

    private static String row(@Nullable Object... cells) {
        Object[] texts = Arrays.stream(cells)
                .map(cell -> cell == null ? "-" : cell.toString())
                .toArray();
        return String.format(Locale.ROOT, "%-21s %-24s %-15s %-13s %s%n", texts);
    }
}
