// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SkBuffRingTest {
    private static final int BUFFERS = 8;

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 64);
    private final SkBuffRing ring = new SkBuffRing(3);

    @AfterEach
    void everyBufferIsBack() {
        ring.purge();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    void buffersComeOutInTheOrderTheyWentIn() {
        for (int round = 0; round < 4; round++) {
            SkBuff first = buffer();
            SkBuff second = buffer();
            assertThat(ring.isEmpty()).isTrue();
            assertThat(ring.add(first)).isTrue();
            assertThat(ring.add(second)).isTrue();
            assertThat(ring.isEmpty()).isFalse();
            assertThat(ring.take()).isSameAs(first);
            assertThat(ring.take()).isSameAs(second);
            assertThat(ring.take()).isNull();
            first.free();
            second.free();
        }
    }

    @Test
    void aFullRingLeavesTheBufferToTheCaller() {
        for (int i = 0; i < 3; i++) {
            assertThat(ring.add(buffer())).isTrue();
        }
        SkBuff fourth = buffer();
        assertThat(ring.add(fourth)).isFalse();
        Objects.requireNonNull(ring.take()).free();
        assertThat(ring.add(fourth)).isTrue();
        assertThat(ring.purge()).isEqualTo(3);
    }

    @Test
    void aBufferInTheRingBelongsToIt() {
        SkBuff skb = buffer();
        ring.add(skb);
        assertThatThrownBy(skb::free).isInstanceOf(IllegalStateException.class).hasMessageContaining("in a queue");
        assertThatThrownBy(() -> new SkBuffRing(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatOneThreadWroteTheOtherReads() throws InterruptedException {
        int count = 200_000;
        Thread producer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < count; i++) {
                SkBuff skb = pool.allocate();
                while (skb == null) {
                    Thread.onSpinWait();
                    skb = pool.allocate();
                }
                skb.memory().set(ValueLayout.JAVA_INT, skb.put(Integer.BYTES), i);
                while (!ring.add(skb)) {
                    Thread.onSpinWait();
                }
            }
        });
        for (int i = 0; i < count; i++) {
            SkBuff skb = ring.take();
            while (skb == null) {
                Thread.onSpinWait();
                skb = ring.take();
            }
            assertThat(skb.memory().get(ValueLayout.JAVA_INT, skb.data())).isEqualTo(i);
            skb.free();
        }
        producer.join();
        assertThat(ring.isEmpty()).isTrue();
    }

    private SkBuff buffer() {
        return Objects.requireNonNull(pool.allocate());
    }
}
