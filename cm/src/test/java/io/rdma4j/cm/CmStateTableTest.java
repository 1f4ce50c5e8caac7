// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The table of states agrees with its golden file, from which the documents draw it. */
class CmStateTableTest {
    @Test
    void theTableIsThatOfTheGoldenFile() throws IOException {
        try (InputStream golden = Objects.requireNonNull(getClass().getResourceAsStream("/cm-states.txt"))) {
            assertThat(dump()).isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    static String dump() {
        StringBuilder text = new StringBuilder();
        for (CmTrigger trigger : CmTrigger.values()) {
            for (CmState state : CmState.values()) {
                CmStateTable.Step step = CmStateTable.step(state, trigger);
                if (step != null) {
                    line(text, trigger, state, step.next(), step.action());
                }
            }
            for (LapState state : LapState.values()) {
                CmStateTable.LapStep step = CmStateTable.lapStep(state, trigger);
                if (step != null) {
                    line(text, trigger, state, step.next(), step.action());
                }
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, CmTrigger trigger, Enum<?> from, Enum<?> to, CmAction action) {
        text.append(
                String.format(Locale.ROOT, "%-7s %-13s %13s -> %-13s %s%n", trigger.kind(), trigger, from, to, action));
    }

    @Test
    void everyTriggerHasATransition() {
        String table = dump();
        assertThat(CmTrigger.values()).allSatisfy(trigger -> assertThat(table).contains(" " + trigger + " "));
    }

    @Test
    void everyStateCanBeLeft() {
        for (CmState state : CmState.values()) {
            assertThat(CmStateTable.step(state, CmTrigger.DESTROY))
                    .as("destroy in %s", state)
                    .isNotNull();
        }
    }
}
