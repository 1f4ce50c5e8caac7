// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.sim.Pair;
import io.rdma4j.testing.sim.world.EventTrace;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.VirtualClock;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that receives for any message are counted, and that a lost one is reported. */
class ReceiveSlotsTest {
    private static final int DEPTH = 15;
    private static final int BYTES = 64;

    private final Pair pair = new Pair(Pair.connection(10, 7, 7));
    private final VirtualClock clock = new VirtualClock(0);
    private final RunReport report = new RunReport(clock, new EventTrace(clock));
    private ReceiveSlots slots;

    @BeforeEach
    void open() {
        SimEndpoint end = pair.receiver;
        slots = new ReceiveSlots(
                end.host(),
                end.qp()::startReceive,
                DEPTH,
                end.register(ReceiveSlots.regionBytes(DEPTH, BYTES)),
                BYTES,
                1,
                new SplittableRandom(1),
                report);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void postAll() {
        for (long nowNs = 0; slots.outstanding() < DEPTH && nowNs < 100_000_000; nowNs += 100_000) {
            slots.act(nowNs);
        }
    }

    @Test
    void asManyArePostedAsAreWantedAndFit() {
        slots.addConsumer(() -> 4, false);
        postAll();
        assertThat(slots.outstanding()).isEqualTo(4);
        slots.addConsumer(() -> 100, false);
        postAll();
        assertThat(slots.outstanding()).isEqualTo(DEPTH);
        slots.checkEnd();
        assertThat(report.violations()).isEmpty();
    }

    @Test
    void aReceiveComesBackOnce() {
        slots.addConsumer(() -> 1, false);
        postAll();
        long wrId = Target.WR_ID_MARK;
        assertThat(slots.giveBack(wrId)).isNotNull();
        assertThat(slots.giveBack(wrId)).isNull();
        assertThat(slots.giveBack(wrId + 1)).isNull();
    }

    @Test
    void oneThatIsNeitherBackNorInTheQueueIsMissed() {
        slots.addConsumer(() -> 3, false);
        postAll();
        pair.postSend(0, 10);
        pair.run();
        slots.checkEnd();
        assertThat(report.violations()).first().asString().contains("3 receives have not come back, but 2");
    }
}
