// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The table of states agrees with its golden file. */
class RdmaIdStateTableTest {
    @Test
    void theTableIsThatOfTheGoldenFile() throws IOException {
        try (InputStream golden = Objects.requireNonNull(getClass().getResourceAsStream("/rdma-id-states.txt"))) {
            assertThat(dump()).isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static String dump() {
        StringBuilder text = new StringBuilder();
        for (RdmaIdTrigger trigger : RdmaIdTrigger.values()) {
            for (RdmaIdState state : RdmaIdState.values()) {
                RdmaIdState next = RdmaIdStateTable.step(state, trigger);
                if (next != null) {
                    text.append(String.format(
                            Locale.ROOT,
                            "%-5s %-15s %14s -> %s%n",
                            trigger.isCall() ? "CALL" : "EVENT",
                            trigger,
                            state,
                            next));
                }
            }
        }
        return text.toString();
    }

    @Test
    void everyTriggerHasATransition() {
        String table = dump();
        assertThat(RdmaIdTrigger.values())
                .allSatisfy(trigger -> assertThat(table).contains(" " + trigger + " "));
    }
}
