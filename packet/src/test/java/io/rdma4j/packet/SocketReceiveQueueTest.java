// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SocketReceiveQueueTest {
    private final SkBuffPool pool = new SkBuffPool(8, 128);

    @AfterEach
    void nothingIsLeaked() {
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private SkBuff allocate() {
        return Objects.requireNonNull(pool.allocate());
    }

    private static SocketReceiveQueue queueOf(int packets, SkBuff sample) {
        return new SocketReceiveQueue(packets * sample.truesize());
    }

    @Test
    @Covers("SKB-75")
    void aPacketSaysHowManyWereLostBeforeIt() {
        SkBuff first = allocate();
        SocketReceiveQueue queue = queueOf(2, first);
        first.marks().mark(99);
        assertThat(queue.add(first)).isTrue();
        assertThat(queue.add(allocate())).isTrue();
        SkBuff lost = allocate();
        assertThat(queue.add(lost)).isFalse();
        assertThat(queue.add(lost)).isFalse();
        assertThat(queue.drops()).isEqualTo(2);
        assertThat(queue.heldBytes()).isEqualTo(2 * lost.truesize());

        SkBuff taken = Objects.requireNonNull(queue.take());
        assertThat(taken).isSameAs(first);
        assertThat(taken.marks().dropcount())
                .as("none was lost before the first")
                .isZero();
        taken.free();
        assertThat(queue.add(lost)).isTrue();
        Objects.requireNonNull(queue.take()).free();
        SkBuff next = Objects.requireNonNull(queue.take());
        assertThat(next).isSameAs(lost);
        assertThat(next.marks().dropcount()).isEqualTo(2);
        next.free();
        assertThat(queue.heldBytes()).isZero();
        assertThat(queue.take()).isNull();
    }

    @Test
    @Covers("SKB-50")
    void whatWasLookedAtIsNotCountedAgainWhenItIsTaken() {
        SkBuff skb = allocate();
        SocketReceiveQueue queue = queueOf(4, skb);
        queue.add(skb);
        queue.add(allocate());
        assertThat(queue.peek()).isSameAs(skb);
        assertThat(skb.marks().peeked()).isTrue();
        assertThat(queue.peek()).isSameAs(skb);
        assertThat(queue.received()).isEqualTo(1);
        assertThat(queue.length()).isEqualTo(2);
        Objects.requireNonNull(queue.take()).free();
        assertThat(queue.received()).isEqualTo(1);
        Objects.requireNonNull(queue.take()).free();
        assertThat(queue.received()).isEqualTo(2);
        assertThat(queue.peek()).isNull();
        assertThat(queue.received()).isEqualTo(2);
    }

    @Test
    void purgingFreesAllAndMakesRoom() {
        SkBuff skb = allocate();
        SocketReceiveQueue queue = queueOf(1, skb);
        queue.add(skb);
        assertThat(queue.purge()).isEqualTo(1);
        assertThat(queue.add(allocate())).isTrue();
        assertThat(queue.purge()).isEqualTo(1);
        assertThatThrownBy(() -> new SocketReceiveQueue(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
