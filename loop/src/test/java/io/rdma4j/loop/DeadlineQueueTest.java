// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeadlineQueueTest {
    private final DeadlineQueue queue = new DeadlineQueue();

    private static final class Timer extends Timed {
        long deadlineNs;

        Timer(long deadlineNs) {
            this.deadlineNs = deadlineNs;
        }

        @Override
        protected long nextDeadlineNs() {
            return deadlineNs;
        }

        @Override
        protected void onDeadline(long nowNs) {}
    }

    private List<Long> drain() {
        List<Long> deadlines = new ArrayList<>();
        while (queue.nextNs() != Deadline.NEVER) {
            long next = queue.nextNs();
            assertThat(queue.remove().queuedDeadlineNs).isEqualTo(next);
            deadlines.add(next);
        }
        return deadlines;
    }

    @Test
    void anEmptyQueueNeverComesUp() {
        assertThat(queue.nextNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void whatHasNoDeadlineIsNotQueued() {
        queue.update(new Timer(Deadline.NEVER));
        assertThat(queue.nextNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void theEarliestComesUpFirst() {
        Random random = new Random(4);
        for (int i = 0; i < 100; i++) {
            queue.update(new Timer(random.nextInt(100_000_000)));
        }
        assertThat(drain()).hasSize(100).isSorted();
    }

    @Test
    void anyMayBeRemoved() {
        Random random = new Random(5);
        List<Timer> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Timer timer = new Timer(random.nextInt(100_000_000));
            all.add(timer);
            queue.update(timer);
        }
        Collections.shuffle(all, random);
        all.subList(0, 40).forEach(queue::remove);
        all.subList(0, 40).forEach(queue::remove);
        assertThat(drain())
                .isSorted()
                .containsExactlyInAnyOrderElementsOf(all.subList(40, 60).stream()
                        .map(timer -> timer.deadlineNs)
                        .toList());
    }

    /** The clock may wrap around. */
    @Test
    void orderHoldsAcrossTheEndOfTime() {
        long late = Long.MAX_VALUE - 5_000_000;
        for (long delay : new long[] {4_000_000, 30_000, 16_000_000, 8000}) {
            queue.update(new Timer(late + delay));
        }
        assertThat(drain()).containsExactly(late + 8000, late + 30_000, late + 4_000_000, late + 16_000_000);
    }

    @Test
    void aDeadlineThatMovesForwardComesUpEarlier() {
        Timer timer = new Timer(2000);
        queue.update(timer);
        timer.deadlineNs = 1000;
        queue.update(timer);
        assertThat(drain()).containsExactly(1000L);
    }

    /** The heap keeps the old time; the timer is queued again when that time has passed. */
    @Test
    void aDeadlineThatMovesBackIsLeftWhereItIs() {
        Timer timer = new Timer(1000);
        queue.update(timer);
        timer.deadlineNs = 3000;
        queue.update(timer);
        assertThat(queue.nextNs()).isEqualTo(1000);
        assertThat(queue.remove()).isSameAs(timer);
        queue.update(timer);
        assertThat(drain()).containsExactly(3000L);
    }
}
