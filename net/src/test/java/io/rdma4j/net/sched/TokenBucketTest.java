// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.sched;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thousand bytes a second, so that a byte is a millisecond. */
class TokenBucketTest {
    private static final long MS = 1_000_000;
    /** Before the clock wraps. */
    private final long start;

    private final SkBuffPool pool = new SkBuffPool(16, 1024);
    private final TokenBucket qdisc = new TokenBucket(1000, 300, 8);

    TokenBucketTest() {
        start = Long.MAX_VALUE - 250 * MS;
    }

    @AfterEach
    void close() {
        qdisc.dropWaiting(_ -> true);
        assertThat(pool.available()).isEqualTo(16);
        pool.close();
    }

    private void enqueue(int bytes) {
        SkBuff skb = Packets.allocate(pool);
        skb.put(bytes);
        assertThat(qdisc.enqueue(skb)).isTrue();
    }

    private int leaveAt(long nowNs) {
        int packets = 0;
        for (SkBuff skb = qdisc.dequeue(nowNs); skb != null; skb = qdisc.dequeue(nowNs)) {
            skb.free();
            packets++;
        }
        return packets;
    }

    /** The clock may wrap meanwhile. */
    @Test
    void aBurstLeavesAtOnceAndTheRestAtTheRate() {
        for (int i = 0; i < 8; i++) {
            enqueue(100);
        }
        assertThat(leaveAt(start)).isEqualTo(3);
        assertThat(qdisc.nextDeadlineNs()).isEqualTo(start + 100 * MS);
        assertThat(leaveAt(start + 99 * MS)).isZero();
        assertThat(qdisc.nextDeadlineNs()).isEqualTo(start + 100 * MS);
        assertThat(leaveAt(start + 100 * MS)).isEqualTo(1);
        assertThat(leaveAt(start + 300 * MS)).isEqualTo(2);
        assertThat(leaveAt(start + 10_000 * MS)).as("what is left").isEqualTo(2);
        assertThat(qdisc.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void aTrainThatIsLongerThanTheBucketLeavesADebt() {
        enqueue(800);
        enqueue(100);
        assertThat(leaveAt(start)).isEqualTo(1);
        assertThat(qdisc.nextDeadlineNs()).isEqualTo(start + 600 * MS);
        assertThat(leaveAt(start + 600 * MS)).isEqualTo(1);
    }

    @Test
    void moreThanTheLimitIsRefused() {
        qdisc.limit(1);
        enqueue(10);
        SkBuff second = Packets.allocate(pool);
        assertThat(qdisc.enqueue(second)).isFalse();
        second.free();
    }

    @Test
    void aRateOfNothingIsRefused() {
        for (Runnable wrong : new Runnable[] {() -> new TokenBucket(0, 1, 1), () -> new TokenBucket(1, 0, 1)}) {
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(wrong::run)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }
    }
}
