// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SkBuffQueueTest {
    private final SkBuffPool pool = new SkBuffPool(3, 64);
    private final SkBuffQueue queue = new SkBuffQueue(2);

    @AfterEach
    void nothingIsLeaked() {
        queue.purge();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers({"SKB-103", "SKB-104", "SKB-105", "SKB-106"})
    void firstInIsFirstOut() {
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.peek()).isNull();
        assertThat(queue.dequeue()).isNull();
        SkBuff a = allocate();
        SkBuff b = allocate();
        assertThat(queue.enqueue(a)).isTrue();
        assertThat(queue.enqueue(b)).isTrue();
        assertThat(queue.length()).isEqualTo(2);
        assertThat(queue.peek()).isSameAs(a);
        assertThat(queue.dequeue()).isSameAs(a);
        assertThat(queue.enqueue(a)).isTrue();
        assertThat(queue.dequeue()).isSameAs(b);
        assertThat(queue.dequeue()).isSameAs(a);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.enqueue(b)).isTrue();
        assertThat(queue.peek()).isSameAs(b);
        a.free();
    }

    @Test
    @Covers("SKB-104")
    void fullQueueRefusesAndTheBufferStaysTheCallers() {
        queue.enqueue(allocate());
        queue.enqueue(allocate());
        SkBuff third = allocate();
        assertThat(queue.isFull()).isTrue();
        assertThat(queue.limit()).isEqualTo(2);
        assertThat(queue.enqueue(third)).isFalse();
        assertThat(queue.length()).isEqualTo(2);
        third.free();
    }

    @Test
    void purgeFreesAll() {
        queue.enqueue(allocate());
        queue.enqueue(allocate());
        assertThat(queue.purge()).isEqualTo(2);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(pool.available()).isEqualTo(3);
    }

    @Test
    void purgeOfSomeKeepsTheOthersInTheirOrder() {
        SkBuff a = allocate();
        SkBuff b = allocate();
        SkBuff c = allocate();
        queue.enqueue(a);
        queue.enqueue(b);
        assertThat(queue.purge(skb -> skb == a)).isEqualTo(1);
        queue.enqueue(c);
        assertThat(queue.purge(skb -> skb == a)).isZero();
        assertThat(queue.dequeue()).isSameAs(b);
        assertThat(queue.dequeue()).isSameAs(c);
        assertThat(pool.available()).isEqualTo(1);
        b.free();
        c.free();
    }

    @Test
    void bufferIsInOneQueueAtMostAndNotFreedWhileQueued() {
        SkBuff skb = allocate();
        queue.enqueue(skb);
        assertThatThrownBy(() -> queue.enqueue(skb)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(skb::free).isInstanceOf(IllegalStateException.class);
        assertThat(queue.length()).isEqualTo(1);
    }

    @Test
    void limitMustBePositive() {
        assertThatThrownBy(() -> new SkBuffQueue(0)).isInstanceOf(IllegalArgumentException.class);
    }

    private SkBuff allocate() {
        return Objects.requireNonNull(pool.allocate());
    }
}
