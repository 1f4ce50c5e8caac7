// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Deadline;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.Pair;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the advance of time and the end of runs. */
class SimulationTest {
    private static final long LIMIT_NS = 1_000_000;

    @Test
    void withoutAnythingToDoItIsIdle() {
        try (Simulation simulation = new Simulation(1, LinkProfile.PERFECT)) {
            assertThat(simulation.run(() -> false, LIMIT_NS)).isEqualTo(RunEnd.IDLE);
            assertThat(simulation.clock().elapsedNs()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 1000, Long.MIN_VALUE, -1})
    void timeJumpsToWhenSomebodyWantsToAct(long originNs) {
        try (Simulation simulation = new Simulation(1, LinkProfile.PERFECT, originNs)) {
            List<Long> acted = new ArrayList<>();
            simulation.addActor(new Alarm(originNs + 5000, acted));
            simulation.addActor(new Alarm(originNs + 300, acted));
            assertThat(simulation.run(() -> false, LIMIT_NS)).isEqualTo(RunEnd.IDLE);
            assertThat(acted).containsExactly(originNs + 300, originNs + 5000);
        }
    }

    @Test
    void aRunEndsWhenItsTimeIsUpAndMayGoOn() {
        try (Simulation simulation = new Simulation(1, LinkProfile.PERFECT)) {
            List<Long> acted = new ArrayList<>();
            simulation.addActor(new Alarm(LIMIT_NS + 1, acted));
            assertThat(simulation.run(() -> false, LIMIT_NS)).isEqualTo(RunEnd.TIME_LIMIT);
            assertThat(acted).isEmpty();
            assertThat(simulation.run(() -> !acted.isEmpty(), LIMIT_NS + 1)).isEqualTo(RunEnd.FINISHED);
        }
    }

    @Test
    void workWithoutEndIsNoticed() {
        try (Simulation simulation = new Simulation(1, LinkProfile.PERFECT)) {
            simulation.addActor(new Restless(true));
            assertThat(simulation.run(() -> false, LIMIT_NS)).isEqualTo(RunEnd.LIVELOCK);
        }
    }

    @Test
    void aDeadlineThatNeverPassesIsNoticed() {
        try (Simulation simulation = new Simulation(1, LinkProfile.PERFECT)) {
            simulation.addActor(new Restless(false));
            assertThat(simulation.run(() -> false, LIMIT_NS)).isEqualTo(RunEnd.LIVELOCK);
        }
    }

    @Test
    void readingTheCountersOfAHostGivesItNoTurn() {
        try (Pair pair = new Pair(Pair.connection(0, 7, 7))) {
            SimHost host = pair.simulation.hosts().getFirst();
            AtomicInteger work = new AtomicInteger();
            host.port().loop().onDue(work::incrementAndGet);
            assertThat(host.port().counters().sentPackets).isZero();
            assertThat(work).hasValue(0);
        }
    }

    @Test
    void buffersUnderWayAreCounted() {
        try (Pair pair = new Pair(Pair.connection(0, 7, 7))) {
            pair.postReceive(1);
            pair.postSend(2, 3000);
            pair.runFor(LinkProfile.PERFECT.latencyNs() / 2);
            assertThat(pair.simulation.buffersInUse()).isEqualTo(3);
            pair.run();
            assertThat(pair.simulation.buffersInUse()).isZero();
        }
    }

    @Test
    void timeDoesNotGoBack() {
        VirtualClock clock = new VirtualClock(10);
        clock.advanceTo(20);
        assertThat(clock.elapsedNs()).isEqualTo(10);
        assertThatThrownBy(() -> clock.advanceTo(19)).hasMessageContaining("time does not go back");
    }

    /** Acts once. */
    private static final class Alarm implements Actor {
        private final List<Long> acted;
        private long timeNs;

        Alarm(long timeNs, List<Long> acted) {
            this.timeNs = timeNs;
            this.acted = acted;
        }

        @Override
        public boolean act(long nowNs) {
            if (!Deadline.isDue(timeNs, nowNs)) {
                return false;
            }
            acted.add(nowNs);
            timeNs = Deadline.NEVER;
            return true;
        }

        @Override
        public long nextActionNs() {
            return timeNs;
        }
    }

    /** Acts always, or requests an action and never acts. */
    private record Restless(boolean busy) implements Actor {
        @Override
        public boolean act(long nowNs) {
            return busy;
        }

        @Override
        public long nextActionNs() {
            return 0;
        }
    }
}
