// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimerHeapTest {
    private static final class Recorded extends TimerHeap.Timer {
        private final List<Recorded> expired;

        Recorded(List<Recorded> expired) {
            this.expired = expired;
        }

        @Override
        void expire() {
            expired.add(this);
        }
    }

    @Test
    void randomStartsAndStopsExpireInOrder() {
        SplittableRandom random = new SplittableRandom(1);
        List<Recorded> expired = new ArrayList<>();
        List<Recorded> timers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            timers.add(new Recorded(expired));
        }
        TimerHeap heap = new TimerHeap();
        for (int i = 0; i < 20_000; i++) {
            Recorded timer = timers.get(random.nextInt(timers.size()));
            if (random.nextInt(3) == 0) {
                heap.stop(timer);
                assertThat(timer.isRunning()).isFalse();
            } else {
                heap.start(timer, random.nextInt(1000));
            }
            long first = timers.stream()
                    .filter(Recorded::isRunning)
                    .mapToLong(Recorded::deadlineNs)
                    .min()
                    .orElse(Deadline.NEVER);
            assertThat(heap.nextNs()).isEqualTo(first);
        }
        List<Long> deadlines = timers.stream()
                .filter(Recorded::isRunning)
                .map(Recorded::deadlineNs)
                .sorted(Comparator.naturalOrder())
                .toList();
        List<Long> seen = new ArrayList<>();
        for (long now = 0; now < 1000; now++) {
            int before = expired.size();
            heap.advance(now);
            for (int i = before; i < expired.size(); i++) {
                seen.add(now);
            }
        }
        assertThat(seen).isEqualTo(deadlines);
        assertThat(heap.size()).isZero();
        assertThat(heap.nextNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void aTimerMayStartItselfAgain() {
        TimerHeap heap = new TimerHeap();
        int[] count = {0};
        TimerHeap.Timer timer = new TimerHeap.Timer() {
            @Override
            void expire() {
                count[0]++;
                heap.start(this, deadline());
            }

            private long deadline() {
                return count[0] * 10L;
            }
        };
        heap.start(timer, 0);
        heap.advance(35);
        assertThat(count[0]).isEqualTo(4);
        assertThat(heap.nextNs()).isEqualTo(40);
    }
}
