// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class NeighbourTransitionsTest {
    /**
     * The file was written from the RFC, not dumped from the table; a change of the table must also change the file.
     */
    @Test
    void theWaysBetweenTheStatesAreAsInTheGoldenFile() throws IOException {
        try (InputStream golden = Objects.requireNonNull(getClass().getResourceAsStream("/neighbour-states.txt"))) {
            assertThat(dump()).isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static String dump() {
        StringBuilder text = new StringBuilder();
        for (NeighbourState state : NeighbourState.values()) {
            text.append(String.format("%-10s 0x%02x", state, state.code()))
                    .append(state.isValid() ? " valid" : "")
                    .append(state.isConnected() ? " connected" : "")
                    .append('\n');
            for (NeighbourEvent event : NeighbourEvent.values()) {
                NeighbourState next = NeighbourTransitions.after(state, event);
                if (next != state) {
                    text.append(String.format("    %-14s -> %s%n", event, next));
                }
            }
        }
        return text.toString();
    }
}
