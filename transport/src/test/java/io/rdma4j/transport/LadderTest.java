// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.transport.requester.CompleterStep;
import io.rdma4j.transport.requester.Outcome;
import io.rdma4j.transport.responder.ResponderStep;
import io.rdma4j.transport.responder.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The ladders of responder and completer as graphs, held against copies that people look at. That the code keeps to
 * them is asserted at every packet of every test.
 */
class LadderTest {
    @Test
    void ladderOfTheResponderIsTheOneThatWasReviewed() throws IOException {
        LadderGraph graph = new LadderGraph("responder", "request");
        for (ResponderStep step : ResponderStep.values()) {
            graph.step(step, step.objections());
        }
        for (Verdict verdict : Verdict.values()) {
            if (verdict != Verdict.PASS) {
                graph.result(
                        verdict,
                        verdict.nak() == null ? "" : "NAK " + verdict.nak().text());
            }
        }
        assertThat(graph.dot("acknowledge")).isEqualTo(golden("/responder.dot"));
    }

    @Test
    void ladderOfTheCompleterIsTheOneThatWasReviewed() throws IOException {
        LadderGraph graph = new LadderGraph("completer", "answer");
        for (CompleterStep step : CompleterStep.values()) {
            graph.step(step, step.objections());
        }
        for (Outcome outcome : Outcome.values()) {
            if (outcome != Outcome.PASS) {
                String retried = outcome.isRetried() ? "again, or " : "";
                graph.result(outcome, outcome.status() == null ? "" : retried + outcome.status());
            }
        }
        assertThat(graph.dot("outcome_DONE")).isEqualTo(golden("/completer.dot"));
    }

    static String golden(String name) throws IOException {
        try (InputStream golden = LadderTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(golden, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void everyVerdictAndOutcomeIsGivenBySomeStep() {
        for (Verdict verdict : Verdict.values()) {
            assertThat(ResponderStep.values()).as(verdict.name()).anyMatch(step -> step.mayYield(verdict));
        }
        for (Outcome outcome : Outcome.values()) {
            assertThat(CompleterStep.values()).as(outcome.name()).anyMatch(step -> step.mayYield(outcome));
        }
    }
}
