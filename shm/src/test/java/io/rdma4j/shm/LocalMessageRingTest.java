// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.shm.RingProducer.Result;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Local messages in a ring, between packets. */
class LocalMessageRingTest extends RingEnds {
    private static final int MOST_BYTES = RingLayout.MAX_ENTRY_BYTES - RingLayout.HEADER_BYTES;

    /** First byte and length of each received message. */
    private final List<String> received = new ArrayList<>();

    private boolean makesSense = true;

    @BeforeEach
    void takeNotes() {
        consumer.channelTo((memory, at, bytes) -> {
            assertThat(at % Long.BYTES).isZero();
            received.add("note " + memory.get(ValueLayout.JAVA_BYTE, at) + " of " + bytes);
            if (bytes > 1) {
                assertThat(memory.get(ValueLayout.JAVA_BYTE, at + bytes - 1)).isEqualTo((byte) bytes);
            }
            return makesSense;
        });
    }

    private boolean send(int first, int bytes) {
        long at = producer.beginMessage(bytes);
        if (at == LocalChannel.NO_ROOM) {
            return false;
        }
        producer.memory().set(ValueLayout.JAVA_BYTE, at + bytes - 1, (byte) bytes);
        producer.memory().set(ValueLayout.JAVA_BYTE, at, (byte) first);
        producer.endMessage(bytes);
        return true;
    }

    private SkBuff packet(int bytes) {
        SkBuff skb = Objects.requireNonNull(senders.allocate());
        skb.reserve(64);
        MemorySegment.copy(Packets.random(bytes, bytes), 0, skb.memory(), ValueLayout.JAVA_BYTE, skb.put(bytes), bytes);
        return skb;
    }

    private void drain() {
        for (SkBuff skb = consumer.receive(receivers); skb != null; skb = consumer.receive(receivers)) {
            received.add("packet of " + skb.len());
            skb.free();
        }
    }

    private boolean sendPacket(int bytes) {
        SkBuff skb = packet(bytes);
        boolean sent = producer.offer(skb) == Result.COPIED;
        skb.free();
        return sent;
    }

    @Test
    void notesAndPacketsKeepTheirOrder() {
        send(1, 100);
        sendPacket(60);
        send(2, 16_432);
        send(3, 1);
        sendPacket(61);
        send(4, 9);
        drain();
        assertThat(received)
                .containsExactly(
                        "note 1 of 100",
                        "packet of 60",
                        "note 2 of 16432",
                        "note 3 of 1",
                        "packet of 61",
                        "note 4 of 9");
        assertThat(consumer.messages()).isEqualTo(4);
    }

    @Test
    void whatWasBegunAndNotSentIsNothing() {
        long at = producer.beginMessage(500);
        assertThat(producer.beginMessage(70)).isEqualTo(at);
        drain();
        assertThat(received).isEmpty();
        send(1, 8);
        drain();
        assertThat(received).containsExactly("note 1 of 8");
    }

    @Test
    void whatWasWrittenAndNotSentIsInNobodysWay() {
        producer.makeReady();
        producer.memory().asSlice(producer.beginMessage(500), 500).fill((byte) 0xEE);
        producer.makeReady();
        send(1, 8);
        drain();
        send(2, 8);
        drain();
        assertThat(received).containsExactly("note 1 of 8", "note 2 of 8");
        assertThat(consumer.isBroken()).isFalse();
    }

    @Test
    void aFullRingHasNoRoomAndSendsNothingUntilThePeerHasRead() {
        int sent = 0;
        while (send(1, 30_000)) {
            sent++;
        }
        assertThat(sent).isBetween(15, RingLayout.DATA_BYTES / 30_000);
        assertThat(producer.beginMessage(30_000)).isEqualTo(LocalChannel.NO_ROOM);
        drain();
        assertThat(received).hasSize(sent);
        // The consumer releases the entries at the next call of receive.
        drain();
        assertThat(send(2, 30_000)).isTrue();
        drain();
        assertThat(received).hasSize(sent + 1).endsWith("note 2 of 30000");
        assertThat(producer.isBroken()).isFalse();
    }

    @Test
    void aNoteIsNoLongerThanAnEntry() {
        assertThat(producer.beginMessage(MOST_BYTES + 1)).isEqualTo(LocalChannel.NO_ROOM);
        assertThat(send(1, MOST_BYTES)).isTrue();
        drain();
        assertThat(received).containsExactly("note 1 of " + MOST_BYTES);
    }

    @Test
    void notesOfOddSizesArriveInOrderForManyRounds() {
        SplittableRandom random = new SplittableRandom(7);
        Queue<String> sent = new ArrayDeque<>();
        long bytesSent = 0;
        while (bytesSent < 20L * RingLayout.DATA_BYTES) {
            int bytes = 65 + random.nextInt(random.nextInt(8) == 0 ? 20_000 : 300);
            if (random.nextInt(5) == 0) {
                int short_ = 1 + bytes % 128;
                if (sendPacket(short_)) {
                    sent.add("packet of " + short_);
                }
            } else if (send(bytes % 100, bytes)) {
                sent.add("note " + bytes % 100 + " of " + bytes);
                bytesSent += bytes;
            }
            if (random.nextInt(10) == 0) {
                drain();
                assertThat(received).containsExactlyElementsOf(sent);
                sent.clear();
                received.clear();
            }
        }
        assertThat(consumer.isBroken() || producer.isBroken()).isFalse();
        drain();
    }

    @Test
    void noLineOfAFullRingIsMadeReady() {
        int sent = 0;
        while (send(1, 100)) {
            sent++;
            producer.makeReady();
        }
        for (int i = 0; i < sent; i++) {
            consumer.receive(receivers);
        }
        assertThat(received).hasSize(sent);
    }

    @Test
    void linesMadeReadyAreThoseThatNobodyReadsAnyMore() {
        SplittableRandom random = new SplittableRandom(9);
        int sent = 0;
        int full = 0;
        for (int i = 0; i < 50_000; i++) {
            int bytes = 1 + random.nextInt(random.nextInt(50) == 0 ? MOST_BYTES : 400);
            // The consumer would reject any line of this message as the start of an entry.
            long at = producer.beginMessage(bytes);
            if (at == LocalChannel.NO_ROOM) {
                full++;
            } else {
                producer.memory().asSlice(at, bytes).fill((byte) 0xEE);
                producer.memory().set(ValueLayout.JAVA_BYTE, at + bytes - 1, (byte) bytes);
                if (random.nextInt(5) > 0) {
                    producer.endMessage(bytes);
                    sent++;
                }
            }
            if (random.nextInt(3) == 0) {
                producer.makeReady();
            }
            if (at == LocalChannel.NO_ROOM || random.nextInt(100) == 0) {
                consumer.receive(receivers);
            }
        }
        while (!consumer.isEmpty() && !consumer.isBroken()) {
            consumer.receive(receivers);
        }
        assertThat(consumer.isBroken()).isFalse();
        assertThat(received).hasSize(sent);
        assertThat(full).isGreaterThan(100);
    }

    /** The consumer limits the local messages of one call, so that other rings are polled. */
    @Test
    void oneLookTakesSomeOfManyNotes() {
        for (int i = 0; i < 500; i++) {
            send(1, 8);
        }
        assertThat(consumer.receive(receivers)).isNull();
        assertThat(received).hasSizeBetween(1, 100);
        for (int i = 0; i < 100; i++) {
            drain();
        }
        assertThat(received).hasSize(500);
        assertThat(consumer.isEmpty()).isTrue();
    }

    @Test
    void aNoteThatMakesNoSenseCutsItsSenderOff() {
        send(1, 8);
        send(2, 8);
        makesSense = false;
        drain();
        assertThat(received).containsExactly("note 1 of 8");
        assertThat(consumer.isBroken()).isTrue();
        makesSense = true;
        drain();
        assertThat(received).hasSize(1);
    }

    @Test
    void nobodyTakesNotesUnlessItSaysSo() {
        join(null);
        assertThat(producer.acceptsMessages()).isFalse();
        consumer.acceptsMessages(true);
        assertThat(producer.acceptsMessages()).isTrue();
        consumer.acceptsMessages(false);
        assertThat(producer.acceptsMessages()).isFalse();
        send(1, 8);
        drain();
        assertThat(received).isEmpty();
        assertThat(consumer.isBroken()).as("a note without a receiver").isTrue();
    }

    /** For any content of an entry, the receiver gets only memory within the ring. */
    @Test
    void entriesOfABadPeerAreNotesWithinTheRing() {
        SplittableRandom random = new SplittableRandom(8);
        int broken = 0;
        for (int i = 0; i < 20_000; i++) {
            ring.fill((byte) 0);
            RingConsumer victim = new RingConsumer(ring, seen, null, counters);
            victim.channelTo((memory, at, bytes) -> {
                assertThat(bytes).isBetween(0, MOST_BYTES);
                assertThat(at + bytes).isLessThanOrEqualTo(RingLayout.RING_BYTES);
                return true;
            });
            long at = RingLayout.DATA;
            int bytes = random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(2 * RingLayout.MAX_ENTRY_BYTES);
            ring.set(ValueLayout.JAVA_INT, at, bytes);
            ring.set(
                    ValueLayout.JAVA_INT,
                    at + RingLayout.SHAPE,
                    RingLayout.shape(RingLayout.MESSAGE, random.nextInt(4), random.nextInt(200)));
            assertThat(victim.receive(receivers)).isNull();
            boolean sound = bytes >= RingLayout.HEADER_BYTES && bytes <= RingLayout.MAX_ENTRY_BYTES;
            assertThat(victim.isBroken()).isEqualTo(!sound && bytes != 0);
            broken += victim.isBroken() ? 1 : 0;
        }
        assertThat(broken).isBetween(1000, 19_000);
    }

    @Test
    void aSleeperIsWokenOnce() {
        consumer.asleep(true);
        send(1, 8);
        assertThat(consumer.isEmpty()).isFalse();
        assertThat(producer.mustWake()).isTrue();
        assertThat(producer.mustWake()).isFalse();
        drain();
    }

    @Test
    void sendingAndReceivingAllocatesNothing() throws Exception {
        consumer.channelTo((memory, at, bytes) -> memory.get(ValueLayout.JAVA_BYTE, at) == 5);
        long bytes = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 10_000; i++) {
                if (!send(5, 100 + i % 777) || consumer.receive(receivers) != null || consumer.isBroken()) {
                    throw new AssertionError("a note is lost");
                }
            }
        });
        assertThat(bytes).isZero();
    }
}
