// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.sched;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PfifoFastTest {
    private final SkBuffPool pool = new SkBuffPool(16, 256);
    private final PfifoFast qdisc = new PfifoFast(4);

    @AfterEach
    void close() {
        qdisc.dropWaiting(_ -> true);
        assertThat(pool.available()).isEqualTo(16);
        pool.close();
    }

    private SkBuff packet(int priority) {
        SkBuff skb = Packets.allocate(pool);
        skb.meta().priority(priority);
        return skb;
    }

    private int take() {
        SkBuff skb = Objects.requireNonNull(qdisc.dequeue(0), "nothing waits");
        int priority = skb.meta().priority();
        skb.free();
        return priority;
    }

    /** pfifo_fast(8): the bands of the priorities of Linux. */
    @Test
    @Covers("NQ-13")
    void eachPriorityHasItsBand() {
        int[] bands = new int[16];
        for (int priority = 0; priority < 16; priority++) {
            bands[priority] = PfifoFast.bandOf(priority);
        }
        assertThat(bands).containsExactly(1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
        assertThat(PfifoFast.bandOf(0x1_0006)).isEqualTo(0);
    }

    @Test
    @Covers("NQ-13")
    void aBandIsServedWhenThoseBeforeItAreEmptyFirstInFirstOut() {
        for (int priority : new int[] {2, 0, 6, 4}) {
            assertThat(qdisc.enqueue(packet(priority))).isTrue();
        }
        assertThat(qdisc.length()).isEqualTo(4);
        assertThat(new int[] {take(), take(), take(), take()}).containsExactly(6, 0, 4, 2);
        assertThat(qdisc.dequeue(0)).isNull();
        assertThat(qdisc.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void moreThanTheLimitIsRefused() {
        for (int i = 0; i < 4; i++) {
            qdisc.enqueue(packet(i));
        }
        SkBuff fifth = packet(6);
        assertThat(qdisc.enqueue(fifth)).isFalse();
        qdisc.limit(5);
        assertThat(qdisc.enqueue(fifth)).isTrue();
    }

    @Test
    void whatAConditionHoldsOfIsDropped() {
        for (int i = 0; i < 4; i++) {
            qdisc.enqueue(packet(i));
        }
        assertThat(qdisc.dropWaiting(skb -> skb.meta().priority() > 1)).isEqualTo(2);
        assertThat(qdisc.length()).isEqualTo(2);
        assertThat(new int[] {take(), take()}).containsExactly(0, 1);
    }
}
