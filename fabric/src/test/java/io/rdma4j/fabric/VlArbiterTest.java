// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class VlArbiterTest {
    private static final int ALL = 0x7FFF;
    private static final int PACKET = 2_074;

    private final VlArbiter arbiter = new VlArbiter();

    private void clear() {
        for (int i = 0; i < VlArbiter.ENTRIES; i++) {
            arbiter.entry(true, i, 0, 0);
            arbiter.entry(false, i, 0, 0);
        }
    }

    private long[] bytes(int ready, int packets) {
        long[] bytes = new long[15];
        for (int i = 0; i < packets; i++) {
            bytes[arbiter.choose(ready)] += PACKET;
            arbiter.sent(PACKET);
        }
        return bytes;
    }

    @Test
    void weightsDivideTheLinkAmongBackloggedLanes() {
        clear();
        arbiter.entry(false, 0, 0, 64);
        arbiter.entry(false, 1, 1, 128);
        arbiter.entry(false, 2, 2, 255);
        long[] bytes = bytes(ALL, 10_000);

        assertThat((double) bytes[1] / bytes[0]).isCloseTo(2, within(0.1));
        assertThat((double) bytes[2] / bytes[0]).isCloseTo(4, within(0.2));
    }

    @Test
    void aLaneWithoutPacketOrWithoutWeightIsSkipped() {
        clear();
        arbiter.entry(false, 0, 0, 1);
        arbiter.entry(false, 1, 1, 1);
        assertThat(bytes(1 << 1, 10)[1]).isEqualTo(10 * PACKET);
        assertThat(arbiter.choose(1 << 2)).isEqualTo(VlArbiter.NONE);
        assertThat(arbiter.choose(0)).isEqualTo(VlArbiter.NONE);
    }

    @Test
    void theLimitOfTheHighTableLetsLowPacketsPass() {
        clear();
        arbiter.entry(true, 0, 3, 255);
        arbiter.entry(false, 0, 0, 4);
        arbiter.limit(0);
        long[] everySecond = bytes(ALL, 1000);
        assertThat(everySecond[0]).isEqualTo(500L * PACKET);
        arbiter.limit(1);
        long[] everyFourKiB = bytes(ALL, 1000);
        // Two packets have more than 4096 bytes.
        assertThat((double) everyFourKiB[3] / everyFourKiB[0]).isCloseTo(2, within(0.02));
        arbiter.limit(VlArbiter.NO_LIMIT);
        assertThat(bytes(ALL, 1000)[0]).isZero();
    }

    @Test
    void newTablesServeAllLanesAlike() {
        long[] bytes = bytes(ALL, 1500);
        assertThat(bytes).containsOnly(100L * PACKET);
        assertThat(arbiter.lane(false, 14)).isEqualTo(14);
        assertThat(arbiter.weight(false, 15)).isZero();
    }
}
