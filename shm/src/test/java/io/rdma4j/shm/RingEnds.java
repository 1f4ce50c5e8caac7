// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Base class of ring tests: one ring with both ends in this process. */
abstract class RingEnds {
    static final int BUFFERS = 64;
    private static final long OWNER = 0xABC;

    @TempDir
    Path temporary;

    final Arena arena = Arena.ofShared();
    final SkBuffPool senders = new SkBuffPool(BUFFERS, 256);
    final SkBuffPool receivers = new SkBuffPool(BUFFERS, RingConsumer.BLOCK_BYTES);
    final MemorySegment ring = arena.allocate(RingLayout.RING_BYTES, 64);
    final ShmCounters counters = new ShmCounters();
    OwnSegments own;
    PeerSegments seen;
    RingProducer producer;
    RingConsumer consumer;

    @BeforeEach
    void open() throws Exception {
        ShmDirectory directory = ShmDirectory.open(temporary.resolve("shm"), 1);
        own = new OwnSegments(directory, OWNER);
        seen = new PeerSegments(directory, OWNER);
        join(null);
    }

    /**
     * Creates two new ends of the ring.
     *
     * @param system reads memory of other processes; null: the consumer may not
     */
    final void join(@Nullable ProcessMemory system) {
        ring.fill((byte) 0);
        producer = new RingProducer(ring, own, new ZeroCopyQuota(() -> {}));
        consumer = new RingConsumer(ring, seen, system, counters);
    }

    @AfterEach
    void allBuffersComeBack() {
        producer.takeBack(_ -> true);
        assertThat(senders.available()).isEqualTo(BUFFERS);
        assertThat(receivers.available()).isEqualTo(BUFFERS);
        seen.close();
        own.close();
        arena.close();
        senders.close();
        receivers.close();
    }

    final SkBuff receive() {
        return Objects.requireNonNull(consumer.receive(receivers));
    }
}
