// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.bench.verbs.SelfDevice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Heap memory of queue pairs without their rings, measured after garbage collection; the benchmark's table contains
 * their other memory. Limits have room for other JVMs, but not for another object per queue pair.
 */
class IdleMemoryTest {
    private static final int QUEUE_PAIRS = 4000;
    private static final int IDLE_BYTES = 1400;
    private static final int USED_BYTES = 2048;

    /** Other memory changes of the JVM disturb one round, seldom two. */
    private static final int ROUNDS = 3;

    @Test
    void aConnectedQueuePairThatIsIdleTakesFarLessThanTwoKibibytes() throws IOException, InterruptedException {
        List<Long> idle = new ArrayList<>();
        List<Long> used = new ArrayList<>();
        try (SelfDevice device = new SelfDevice()) {
            for (int round = 0; round < ROUNDS; round++) {
                Memory before = Memory.now();
                try (ManyQps queuePairs = new ManyQps(device, QUEUE_PAIRS)) {
                    idle.add(bytesEach(before));
                    queuePairs.work(Long.BYTES);
                    used.add(bytesEach(before));
                }
            }
        }
        assertThat(median(idle)).as("bytes of an idle queue pair, of %s", idle).isBetween(1L, (long) IDLE_BYTES);
        assertThat(median(used)).as("bytes of one that was used, of %s", used).isBetween(1L, (long) USED_BYTES);
    }

    private static long bytesEach(Memory before) throws IOException, InterruptedException {
        return Memory.now().minus(before).heap() / QUEUE_PAIRS - ManyQps.ringBytes();
    }

    private static long median(List<Long> rounds) {
        return rounds.stream().sorted().skip(ROUNDS / 2).findFirst().orElseThrow();
    }
}
