package io.rdma4j.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.bench.verbs.SelfDevice;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * What queue pairs take of the heap beyond their rings, counted when all garbage is collected; what they take besides is in the benchmark's
 * table. Bounds have room for other JVMs, but not for one more object of any size.
 */
class IdleMemoryTest {
    private static final int QUEUE_PAIRS = 4000;
    private static final int IDLE_BYTES = 1600;
    private static final int USED_BYTES = 4000;

    @Test
    void aConnectedQueuePairThatIsIdleTakesFarLessThanTwoKibibytes() throws IOException, InterruptedException {
        try (SelfDevice device = new SelfDevice()) {
            // Loads all classes, and lets tables grow.
            try (Crowd first = new Crowd(device, QUEUE_PAIRS)) {
                first.work(Long.BYTES);
            }
            Memory before = Memory.now();
            try (Crowd crowd = new Crowd(device, QUEUE_PAIRS)) {
                assertThat(Memory.now().minus(before).heap() / crowd.size())
                        .as("bytes of an idle queue pair")
                        .isBetween(1L, (long) IDLE_BYTES);

                crowd.work(Long.BYTES);

                assertThat(Memory.now().minus(before).heap() / crowd.size())
                        .as("bytes of one that was used")
                        .isBetween(1L, (long) USED_BYTES);
            }
        }
    }
}
