// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.stress.Recycler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** A ring of shared memory between two threads of one process, with a packet to send. */
final class ShmStation {
    private static final Recycler<ShmStation> STATIONS = new Recycler<>(ShmStation::new);
    private static final ShmDirectory DIRECTORY = directory();
    private static final int PACKET_BYTES = 40;

    /** A test writes only to this part of the ring, in bytes. */
    private static final int USED_BYTES = 4096;

    private final MemorySegment memory = Arena.global().allocate(RingLayout.RING_BYTES, RingLayout.LINE);
    private final SkBuffPool senders = new SkBuffPool(1, RingConsumer.BLOCK_BYTES);
    private final SkBuffPool receivers = new SkBuffPool(2, RingConsumer.BLOCK_BYTES);
    private final OwnSegments own = new OwnSegments(DIRECTORY, 1);
    private final PeerSegments seen = new PeerSegments(DIRECTORY, 1);
    private final SkBuff packet = Objects.requireNonNull(senders.allocate());
    private RingProducer producer = new RingProducer(memory, own, new ZeroCopyQuota(() -> {}));
    private final ShmCounters counters = new ShmCounters();
    private RingConsumer consumer = new RingConsumer(memory, seen, null, counters);

    private ShmStation() {
        long at = packet.put(PACKET_BYTES);
        packet.memory().asSlice(at, PACKET_BYTES).fill((byte) 7);
    }

    private static ShmDirectory directory() {
        try {
            Path path = Files.createTempDirectory("stress");
            path.toFile().deleteOnExit();
            return ShmDirectory.open(path, 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ShmStation take() {
        return STATIONS.take();
    }

    void giveBack() {
        memory.asSlice(0, USED_BYTES).fill((byte) 0);
        producer = new RingProducer(memory, own, new ZeroCopyQuota(() -> {}));
        consumer = new RingConsumer(memory, seen, null, counters);
        STATIONS.giveBack(this);
    }

    /** Sender: writes its packet into the ring. */
    void send() {
        if (producer.offer(packet) != RingProducer.Result.COPIED) {
            throw new IllegalStateException("no room");
        }
    }

    /** Sender: 1 if it must wake the receiver. */
    int mustWake() {
        return producer.mustWake() ? 1 : 0;
    }

    /**
     * Receiver: takes a packet. Returns its size if it is complete, 0 if there is none, -1 if it is incomplete, -2 if
     * the ring is broken.
     */
    int receive() {
        SkBuff skb = consumer.receive(receivers);
        if (skb == null) {
            return consumer.isBroken() ? -2 : 0;
        }
        int bytes = skb.len();
        boolean whole = bytes == PACKET_BYTES
                && skb.memory().get(ValueLayout.JAVA_BYTE, skb.data()) == 7
                && skb.memory().get(ValueLayout.JAVA_BYTE, skb.data() + bytes - 1L) == 7;
        skb.free();
        return whole ? bytes : -1;
    }

    /** Receiver: starts to sleep like {@link ShmChannels#fallAsleep}; 1 if it sleeps. */
    int fallAsleep() {
        consumer.asleep(true);
        VarHandle.fullFence();
        return consumer.isEmpty() ? 1 : 0;
    }
}
