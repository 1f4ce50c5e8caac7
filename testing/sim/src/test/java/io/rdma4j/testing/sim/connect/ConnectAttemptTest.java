// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.connect.ConnectAttempt.Decision;
import io.rdma4j.testing.sim.connect.ConnectAttempt.End;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.Simulation;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The model of a connection finds what must not be. */
class ConnectAttemptTest {
    @AutoClose
    private final Simulation simulation = new Simulation(1, LinkProfile.PERFECT);

    private final RunReport report = new RunReport(simulation.clock(), simulation.trace());
    private final ConnectAttempt attempt = new ConnectAttempt(3, 0, 1, report);

    private void assertViolation(String text) {
        assertThat(report.violations()).singleElement().asString().contains(text);
    }

    @Test
    void aConnectionThatBothEndsWantAndUseIsRight() {
        attempt.decide(Decision.ACCEPT);
        attempt.established(attempt.word());
        attempt.served();
        attempt.end(End.DISCONNECTED);
        assertThat(report.violations()).isEmpty();
    }

    @Test
    void aConnectionThatTheServerHasNotAcceptedIsFound() {
        attempt.decide(Decision.REJECT);
        attempt.established(attempt.word());
        assertViolation("established, though the server has decided [REJECT]");
    }

    @Test
    void wrongPrivateDataIsFound() {
        attempt.decide(Decision.ACCEPT);
        attempt.established(7);
        assertViolation("accepted with 0x00000007");
    }

    @Test
    void aRequestThatComesAgainAfterItWasAcceptedIsFound() {
        attempt.decide(Decision.REJECT);
        attempt.decide(Decision.ACCEPT);
        assertThat(report.violations()).isEmpty();
        attempt.decide(Decision.ACCEPT);
        assertViolation("came again after it was accepted");
    }

    @Test
    void aRejectionThatTheServerHasNotMadeIsFound() {
        attempt.decide(Decision.ACCEPT);
        attempt.rejected(28, 0);
        assertViolation("rejected for reason 28");
    }

    @Test
    void aDisconnectBeforeTheWordsAreExchangedIsFound() {
        attempt.decide(Decision.ACCEPT);
        attempt.established(attempt.word());
        attempt.end(End.DISCONNECTED);
        assertViolation("disconnected before the words were exchanged");
    }

    @Test
    void twoEndsAreFound() {
        attempt.end(End.UNREACHABLE);
        attempt.end(End.UNREACHABLE);
        assertViolation("ended as UNREACHABLE, and again");
    }
}
