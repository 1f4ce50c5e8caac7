package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The responder's ladder as a graph, held against a copy that people look at. That the code keeps to it is asserted at every
 * packet of every test.
 */
class LadderTest {
    private static final ResponderStep[] STEPS = ResponderStep.values();

    @Test
    void ladderIsTheOneThatWasReviewed() throws IOException {
        assertThat(ladder()).isEqualTo(golden("/responder.dot"));
    }

    static String golden(String name) throws IOException {
        try (InputStream golden = LadderTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(golden, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String ladder() {
        StringBuilder dot = new StringBuilder("digraph responder {\n  rankdir=TB\n  node [shape=box]\n");
        dot.append("  request -> ").append(STEPS[0]).append('\n');
        for (int i = 0; i < STEPS.length; i++) {
            String next = i + 1 < STEPS.length ? STEPS[i + 1].name() : "acknowledge";
            dot.append("  ").append(STEPS[i]).append(" -> ").append(next).append('\n');
            for (Verdict verdict : STEPS[i].objections()) {
                dot.append("  ")
                        .append(STEPS[i])
                        .append(" -> verdict_")
                        .append(verdict)
                        .append(" [style=dashed]\n");
            }
        }
        for (Verdict verdict : Verdict.values()) {
            if (verdict != Verdict.PASS) {
                dot.append("  verdict_")
                        .append(verdict)
                        .append(" [shape=ellipse, label=\"")
                        .append(verdict);
                dot.append(
                                verdict.nak() == null
                                        ? ""
                                        : "\\nNAK " + verdict.nak().text())
                        .append("\"]\n");
            }
        }
        return dot.append("}\n").toString();
    }

    @Test
    void everyVerdictIsGivenBySomeStep() {
        for (Verdict verdict : Verdict.values()) {
            assertThat(STEPS).as(verdict.name()).anyMatch(step -> step.mayYield(verdict));
        }
    }
}
