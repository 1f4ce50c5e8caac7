// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimedPacketsTest {
    private static final int CAPACITY = 100;
    private static final long ORIGIN = Long.MAX_VALUE - 500;

    private record Expected(long afterNs, int number, SkBuff packet) {}

    private final SkBuffPool pool = new SkBuffPool(CAPACITY, 64);
    private final TimedPackets packets = new TimedPackets();

    @AfterEach
    void close() {
        packets.purge();
        assertThat(pool.available()).isEqualTo(CAPACITY);
        pool.close();
    }

    @Test
    void theyComeByTimeAndThenByTheirOrderEvenWhereTheClockWraps() {
        PriorityQueue<Expected> model =
                new PriorityQueue<>(Comparator.comparingLong(Expected::afterNs).thenComparingInt(Expected::number));
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            if (model.size() < CAPACITY && (model.isEmpty() || random.nextInt(100) < 55)) {
                // There are only few different times, on both sides of the clock's wrap, so that many packets have the
                // same time.
                Expected added = new Expected(random.nextInt(50) * 20L, i, Packets.allocate(pool));
                model.add(added);
                packets.add(ORIGIN + added.afterNs(), added.packet());
            } else {
                Expected first = model.remove();
                assertThat(packets.due(ORIGIN + first.afterNs() - 1)).isNull();
                assertThat(packets.due(ORIGIN + first.afterNs())).isSameAs(first.packet());
                assertThat(packets.firstNs() - ORIGIN).isEqualTo(first.afterNs());
                assertThat(packets.removeFirst()).isSameAs(first.packet());
                first.packet().free();
            }
        }
    }

    @Test
    void nothingIsDueWhereNothingIs() {
        assertThat(packets.due(0)).isNull();
        assertThat(packets.firstNs()).isEqualTo(Deadline.NEVER);
    }
}
