// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StripedStatsTest {
    @Test
    @Covers("NDEV-195")
    void eachThreadCountsInALaneOfItsOwn() throws InterruptedException {
        StripedStats lanes = new StripedStats(4);
        assertThat(lanes.lanes()).isEqualTo(4);
        NetDeviceStats stats = new NetDeviceStats(lanes);
        List<Integer> used = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int packets = i;
            Thread thread = Thread.ofPlatform().start(() -> {
                used.add(lanes.own());
                stats.countTransmitted(packets, 100L * packets);
            });
            thread.join();
        }
        for (int lane = 0; lane < 4; lane++) {
            long expected = 0;
            for (int i = 0; i < 4; i++) {
                expected += used.get(i) == lane ? i + 1 : 0;
            }
            assertThat(lanes.packets(lane)).isEqualTo(expected);
            assertThat(lanes.bytes(lane)).isEqualTo(100 * expected);
        }
        assertThat(used).as("threads with numbers of a row").hasSizeGreaterThan(1);
        assertThat(stats.txPackets()).isEqualTo(10);
        assertThat(stats.txBytes()).isEqualTo(1000);
        assertThat(new StripedStats(5).lanes()).isEqualTo(8);
        assertThat(new StripedStats(1000).lanes()).isEqualTo(64);
        assertThat(new StripedStats(1).lanes()).isEqualTo(1);
    }
}
