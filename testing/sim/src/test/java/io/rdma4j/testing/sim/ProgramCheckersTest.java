package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What no honest network does is found by those who watch programs; a seed is all that is needed to see a run again. */
class ProgramCheckersTest {
    private static final LinkProfile BAD = LinkProfile.PERFECT
            .withLoss(0.05)
            .withDuplication(0.05)
            .withReordering(0.05, 50_000)
            .withBursts(new BurstLoss(0.005, 0.2));

    /** All that was wrong in some runs. */
    private static List<String> violations(Consumer<SimNetwork> tampering) {
        List<String> violations = new ArrayList<>();
        for (int seed = 0; seed < 10; seed++) {
            Scenario scenario = Scenario.of(seed).withMessages(20).withSizes(0, 2000);
            violations.addAll(new ProgramRun(scenario).prepare(tampering).run().violations());
        }
        return violations;
    }

    @Test
    void bytesThatChangeOnTheWayAreFound() {
        assertThat(violations(network -> network.link(0, 1).hook(Tampering.flipPayload())))
                .anyMatch(text -> text.contains("is complete, and yet"))
                .anyMatch(text -> text.contains(", received: "));
    }

    @Test
    void answersThatChangeOnTheWayAreFound() {
        assertThat(violations(network -> network.link(1, 0).hook(Tampering.flipAnswers())))
                .anyMatch(text -> text.contains("has brought"));
    }

    @Test
    void whatIsAcknowledgedAndWasLostIsFound() {
        assertThat(violations(network -> Tampering.acknowledgeWhatWasLost(network.link(0, 1), network.link(1, 0))))
                .anyMatch(text -> text.contains("is complete, and yet")
                        || text.contains("but the peer has received only")
                        || text.contains("but the peer has carried out only"));
    }

    @Test
    void aNetworkThatCarriesNothingIsFound() {
        assertThat(violations(network -> network.link(0, 1).hook(packet -> false)))
                .allMatch(text -> text.contains("the messages never arrived"))
                .isNotEmpty();
    }

    @Test
    void connectionsAreKilledAndMadeAnew() {
        int revivals = 0;
        for (int seed = 0; seed < 20; seed++) {
            revivals += ProgramSeedsTest.run(Scenario.of(seed).withLink(BAD).withSizes(0, 20_000))
                    .revivals();
        }
        assertThat(revivals).isGreaterThan(5);
    }

    @Test
    void theSameSeedGivesTheSameRunToTheLastBit() {
        for (int seed = 0; seed < 5; seed++) {
            Scenario scenario = Scenario.of(seed).withLink(BAD).withSizes(0, 20_000);
            RunResult first = ProgramSeedsTest.run(scenario);
            RunResult second = ProgramSeedsTest.run(scenario);
            assertThat(second.traceHash()).isEqualTo(first.traceHash());
            assertThat(second.elapsedNs()).isEqualTo(first.elapsedNs());
        }
    }
}
