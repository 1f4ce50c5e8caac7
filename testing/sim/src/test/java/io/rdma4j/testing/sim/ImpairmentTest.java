// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.Psn;
import io.rdma4j.links.LinkEvent;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.sim.run.ScenarioRun;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests each fault and each limit alone, and that messages still arrive. */
class ImpairmentTest {
    private static final int SEEDS = 10;

    @Test
    void overAPerfectLinkNothingIsLostOrRefused() {
        assertThat(runs(scenario -> scenario)).allSatisfy(result -> {
            assertThat(result.network().count(LinkEvent.ARRIVED)).isEqualTo(result.packets());
            assertThat(result.badPackets()).isZero();
        });
    }

    @Test
    void receiversThatComeLateAreWaitedFor() {
        assertThat(runs(scenario -> scenario))
                .anySatisfy(result -> assertThat(result.rnrNaks()).isPositive());
    }

    @Test
    @Covers("RXE-193")
    void lossAloneIsMadeGoodByGoingBack() {
        assertThat(runs(link -> link.withLink(LinkProfile.PERFECT.withLoss(0.1))))
                .allSatisfy(result -> {
                    assertThat(result.network().count(LinkEvent.LOST)).isPositive();
                    assertThat(result.retransmitted()).isPositive();
                    assertThat(result.badPackets()).isZero();
                })
                // With one outstanding request there are no gaps, only timeouts.
                .anySatisfy(result -> assertThat(result.sequenceNaks()).isPositive());
    }

    @Test
    void duplicationAloneIsNoticed() {
        assertThat(runs(link -> link.withLink(LinkProfile.PERFECT.withDuplication(0.3))))
                .allSatisfy(result -> {
                    assertThat(result.network().count(LinkEvent.DUPLICATED)).isPositive();
                    assertThat(result.network().count(LinkEvent.ARRIVED)).isGreaterThan(result.packets());
                });
    }

    @Test
    void reorderingAloneIsPutRight() {
        assertThat(runs(link -> link.withLink(LinkProfile.PERFECT.withReordering(0.2, 100_000))))
                .allSatisfy(result -> {
                    assertThat(result.network().count(LinkEvent.DELAYED)).isPositive();
                    assertThat(result.network().count(LinkEvent.ARRIVED)).isEqualTo(result.packets());
                });
    }

    @Test
    void corruptionAloneIsFoundOutByTheIcrc() {
        assertThat(runs(link -> link.withLink(LinkProfile.PERFECT.withCorruption(0.2))))
                .allSatisfy(result -> {
                    assertThat(result.network().count(LinkEvent.CORRUPTED)).isPositive();
                    assertThat(result.badPackets()).isPositive();
                });
    }

    @Test
    void aSlowLinkWithAShortQueueDropsAndTheMessagesArriveAllTheSame() {
        LinkProfile slow = LinkProfile.PERFECT.withBandwidth(1_000_000_000L, 8);
        assertThat(runs(scenario -> scenario.withLink(slow).withSizes(4096, 8192)))
                .allSatisfy(result -> assertThat(result.elapsedNs())
                        .as("time for the payload at 1 Gbit/s")
                        .isGreaterThan(40L * 4096 * 8))
                .anySatisfy(result ->
                        assertThat(result.network().count(LinkEvent.QUEUE_FULL)).isPositive());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 1_000, 1_000_000, 100_000_000})
    void anyLatencyWillDo(long latencyNs) {
        LinkProfile link = LinkProfile.PERFECT.withLatencyNs(latencyNs).withLoss(0.05);
        runs(scenario -> scenario.withLink(link));
    }

    @ParameterizedTest
    @EnumSource(Mtu.class)
    void everyPathMtuWorks(Mtu mtu) {
        LinkProfile link = LinkProfile.PERFECT.withLoss(0.05);
        runs(scenario -> scenario.withLink(link).withPathMtu(mtu).withSizes(0, 20_000));
    }

    @ParameterizedTest
    @ValueSource(ints = {Psn.MASK, Psn.MASK - 1, Psn.MASK - 20, Psn.MASK / 2 - 10, Psn.MASK / 2, 0})
    @Covers("RXE-163")
    void packetSequenceNumbersWrap(int firstPsn) {
        LinkProfile link =
                LinkProfile.PERFECT.withLoss(0.1).withDuplication(0.1).withReordering(0.1, 100_000);
        runs(scenario -> scenario.withLink(link).withFirstPsn(firstPsn));
    }

    private static List<RunResult> runs(UnaryOperator<SimScenario> change) {
        List<RunResult> results = new ArrayList<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            RunResult result = new ScenarioRun(change.apply(SimScenario.of(seed))).run();
            Runs.assertClean(result);
            results.add(result);
        }
        return results;
    }
}
