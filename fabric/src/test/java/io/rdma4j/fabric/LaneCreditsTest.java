// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LaneCreditsTest {
    private final LaneCredits sender = new LaneCredits();
    private final LaneCredits receiver = new LaneCredits();

    private void start(int blocks) {
        sender.reset(blocks);
        receiver.reset(blocks);
        sender.limit(receiver.announcedLimit());
    }

    @Test
    void aPacketNeedsCreditsForAllItsBlocks() {
        start(3);

        assertThat(sender.maySend(3)).isTrue();
        assertThat(sender.maySend(4)).isFalse();
        sender.sent(2);
        assertThat(receiver.arrived(2)).isTrue();
        assertThat(sender.maySend(1)).isTrue();
        assertThat(sender.maySend(2)).isFalse();
        receiver.freed(2);
        sender.limit(receiver.announcedLimit());
        assertThat(sender.maySend(3)).isTrue();
    }

    @Test
    void beforeTheFirstLimitNothingIsSent() {
        sender.reset(10);
        assertThat(sender.maySend(1)).isFalse();
    }

    @Test
    void aSenderWithoutCreditsOverrunsTheBuffer() {
        start(3);
        assertThat(receiver.arrived(2)).isTrue();
        assertThat(receiver.arrived(2)).isFalse();
        assertThat(receiver.used()).isEqualTo(2);
    }

    /**
     * Delayed and lost limits over many turns of the counters: never an overrun, and all credits are back at the end.
     */
    @Test
    void lostAndLateLimitsDoNoHarm() {
        SplittableRandom random = new SplittableRandom(3);
        for (int blocks : new int[] {1, 2, 33, 2048, 5000}) {
            start(blocks);
            Deque<Integer> link = new ArrayDeque<>();
            Deque<Integer> buffer = new ArrayDeque<>();
            Deque<Integer> limits = new ArrayDeque<>();
            for (int step = 0; step < 40_000; step++) {
                int packet = 1 + random.nextInt(Math.min(blocks, 33));
                switch (random.nextInt(4)) {
                    case 0 -> {
                        if (sender.maySend(packet)) {
                            sender.sent(packet);
                            link.add(packet);
                        }
                    }
                    case 1 -> {
                        if (!link.isEmpty()) {
                            buffer.add(link.peek());
                            assertThat(receiver.arrived(link.remove())).isTrue();
                        }
                    }
                    case 2 -> {
                        if (!buffer.isEmpty()) {
                            receiver.freed(buffer.remove());
                            limits.add(receiver.announcedLimit());
                        }
                    }
                    default -> {
                        if (!limits.isEmpty()) {
                            int limit = limits.remove();
                            if (random.nextInt(3) > 0) {
                                sender.limit(limit);
                            }
                        }
                    }
                }
                int outstanding = link.stream().mapToInt(i -> i).sum()
                        + buffer.stream().mapToInt(i -> i).sum();
                assertThat(outstanding).isLessThanOrEqualTo(blocks);
            }
            link.forEach(receiver::arrived);
            receiver.freed(receiver.used());
            sender.limit(receiver.announcedLimit());
            assertThat(sender.available()).isEqualTo(Math.min(blocks, 2048));
        }
    }

    @Test
    void aLaneWithoutFlowControlAlwaysMaySend() {
        start(LaneCredits.UNLIMITED);
        assertThat(sender.maySend(100_000)).isTrue();
        assertThat(receiver.arrived(100_000)).isTrue();
    }
}
