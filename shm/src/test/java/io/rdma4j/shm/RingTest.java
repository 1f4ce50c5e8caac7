// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.shm.RingProducer.Result;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One ring and its two ends. */
class RingTest extends RingEnds {
    private static final int HEADERS = 44;

    /** Returns a packet with headers and a payload in other memory. */
    private SkBuff packet(MemorySegment payload) {
        SkBuff skb = Objects.requireNonNull(senders.allocate());
        skb.reserve(64);
        MemorySegment.copy(
                Packets.random(HEADERS, payload.byteSize()),
                0,
                skb.memory(),
                ValueLayout.JAVA_BYTE,
                skb.put(HEADERS),
                HEADERS);
        if (payload.byteSize() > 0) {
            skb.addFrag(payload, 0, (int) payload.byteSize());
        }
        return skb;
    }

    private MemorySegment payload(int bytes) {
        MemorySegment memory = arena.allocate(bytes);
        memory.copyFrom(MemorySegment.ofArray(Packets.random(bytes, bytes)));
        return memory;
    }

    private static byte[] expected(int payload) {
        byte[] bytes = new byte[HEADERS + payload];
        System.arraycopy(Packets.random(HEADERS, payload), 0, bytes, 0, HEADERS);
        System.arraycopy(Packets.random(payload, payload), 0, bytes, HEADERS, payload);
        return bytes;
    }

    private Result send(SkBuff skb) {
        Result result = producer.offer(skb);
        if (result != Result.REFERRED) {
            skb.free();
        }
        return result;
    }

    @Test
    void aSmallPacketIsCopiedAndItsPlaceGivenBackAtOnce() {
        assertThat(send(packet(payload(100)))).isEqualTo(Result.COPIED);
        SkBuff skb = receive();
        assertThat(Packets.bytes(skb)).isEqualTo(expected(100));
        assertThat(skb.isNonlinear()).isFalse();
        assertThat(skb.shinfo().offload()).isNotNull();
        assertThat(consumer.heldCount()).isZero();
        skb.free();
        assertThat(consumer.receive(receivers)).isNull();
    }

    @Test
    void aLargePayloadStaysInTheRingUntilItsBufferIsFree() {
        send(packet(payload(5000)));
        send(packet(payload(3000)));
        SkBuff first = receive();
        SkBuff second = receive();
        assertThat(Packets.bytes(first)).isEqualTo(expected(5000));
        assertThat(Packets.bytes(second)).isEqualTo(expected(3000));
        assertThat(first.shinfo().fragMemory(0)).isSameAs(ring);
        second.free();
        assertThat(consumer.heldCount()).isEqualTo(2);
        first.free();
        assertThat(consumer.heldCount()).isZero();
    }

    @Test
    void aTrainArrivesWhole() {
        SkBuff train = packet(payload(10_000));
        train.shinfo().gso(4096, 3);
        train.cb().fill((byte) 7);
        send(train);
        SkBuff skb = receive();
        assertThat(skb.shinfo().gsoSize()).isEqualTo(4096);
        assertThat(skb.shinfo().gsoSegs()).isEqualTo(3);
        assertThat(skb.cb().toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
        assertThat(Packets.bytes(skb)).isEqualTo(expected(10_000));
        skb.free();
    }

    @Test
    void aPayloadInASegmentIsReadWhereItIsAndFreedWhenThePeerHasReadIt() throws Exception {
        MemorySegment memory = own.allocate(1 << 16, 64, arena);
        memory.asSlice(4096, 5000).copyFrom(MemorySegment.ofArray(Packets.random(5000, 5000)));
        assertThat(send(packet(memory.asSlice(4096, 5000)))).isEqualTo(Result.REFERRED);
        SkBuff skb = receive();
        assertThat(Packets.bytes(skb)).isEqualTo(expected(5000));
        assertThat(skb.shinfo().fragMemory(0).isReadOnly()).isTrue();
        // Both ends map the same memory.
        memory.set(ValueLayout.JAVA_BYTE, 4096, (byte) 99);
        assertThat(Packets.bytes(skb)[HEADERS]).isEqualTo((byte) 99);
        assertThat(producer.reap()).isEqualTo(1);
        skb.free();
        assertThat(consumer.receive(receivers)).isNull();
        assertThat(producer.reap()).isZero();
    }

    @Test
    void memoryIsGivenOutAsLongAsPeersMapIt() throws Exception {
        MemorySegment last = MemorySegment.NULL;
        for (int number = 1; number < PeerSegments.MAX_SEGMENTS; number++) {
            last = own.allocate(2048, 64, arena);
        }
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> own.allocate(1, 1, arena))
                .withMessageContaining("4095");
        last.copyFrom(MemorySegment.ofArray(Packets.random(2048, 2048)));
        assertThat(send(packet(last))).isEqualTo(Result.REFERRED);
        SkBuff skb = receive();
        assertThat(Packets.bytes(skb)).isEqualTo(expected(2048));
        skb.free();
        assertThat(consumer.receive(receivers)).isNull();
        assertThat(producer.reap()).isZero();
    }

    @Test
    void aTrainThatIsTooLongForTheRingGoesIfItsPayloadIsReadWhereItIs() throws Exception {
        int longest = RingLayout.MAX_REFERRED_BYTES;
        MemorySegment memory = own.allocate(longest + 4096, 64, arena);
        memory.copyFrom(MemorySegment.ofArray(Packets.random(longest, longest)));
        SkBuff train = packet(memory.asSlice(0, longest));
        train.shinfo().gso(4096, longest / 4096);
        assertThat(RingProducer.mayHold(train) && producer.holds(train)).isTrue();
        assertThat(send(train)).isEqualTo(Result.REFERRED);
        SkBuff skb = receive();
        assertThat(Packets.bytes(skb)).isEqualTo(expected(longest));
        assertThat(skb.shinfo().gsoSegs()).isEqualTo(longest / 4096);
        skb.free();

        SkBuff copied = packet(arena.allocate(longest));
        assertThat(RingProducer.mayHold(copied)).isTrue();
        assertThat(producer.holds(copied)).isFalse();
        copied.free();
        SkBuff tooLong = packet(memory.asSlice(0, longest + 1));
        assertThat(RingProducer.mayHold(tooLong)).isFalse();
        tooLong.free();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void whoRefersToMoreThanTheLongestTrainIsCutOff(int pieces) throws Exception {
        int longest = RingLayout.MAX_REFERRED_BYTES;
        MemorySegment memory = own.allocate(longest + 1, 64, arena);
        SkBuff skb = packet(memory.asSlice(0, longest + 1 - (pieces - 1)));
        for (int i = 1; i < pieces; i++) {
            skb.addFrag(memory, 0, 1);
        }
        assertThat(send(skb)).isEqualTo(Result.REFERRED);
        assertThat(consumer.receive(receivers)).isNull();
        assertThat(consumer.isBroken()).isTrue();
    }

    @Test
    void whatItsSenderTakesBackIsNotReceived() throws Exception {
        MemorySegment memory = own.allocate(1 << 16, 64, arena);
        SkBuff revoked = packet(memory.asSlice(0, 5000));
        send(revoked);
        send(packet(memory.asSlice(8192, 2000)));
        assertThat(producer.takeBack(skb -> skb == revoked)).isEqualTo(1);
        SkBuff skb = receive();
        assertThat(skb.len()).isEqualTo(HEADERS + 2000);
        skb.free();
        assertThat(consumer.receive(receivers)).isNull();
        assertThat(producer.reap()).isZero();
    }

    /** The addresses of a closed arena may belong to other memory. */
    @Test
    void aSegmentWhoseArenaIsClosedIsNoneAnyMore() throws Exception {
        try (Arena shortLived = Arena.ofShared()) {
            MemorySegment memory = own.allocate(1 << 16, 64, shortLived);
            send(packet(memory.asSlice(0, 5000)));
            receive().free();
            assertThat(own.find(memory, 0, 100)).isNotNull();
        }
        OwnSegments.Segment gone = Objects.requireNonNull(own.findGone());
        own.remove(gone);
        assertThat(temporary.resolve("shm")).isEmptyDirectory();
        assertThat(own.isEmpty()).isTrue();
        producer.forget(gone.number());
        assertThat(consumer.receive(receivers)).isNull();
        assertThat(seen.get(gone.number())).isNull();
    }

    @Test
    void aFullRingTakesNothingUntilThePeerHasRead() {
        MemorySegment payload = payload(60_000);
        int packets = 0;
        SkBuff refused = packet(payload);
        while (producer.offer(refused) == Result.COPIED) {
            packets++;
        }
        assertThat(packets).isBetween(7, RingLayout.DATA_BYTES / 60_000);
        receive().free();
        receive().free();
        assertThat(producer.offer(refused)).isEqualTo(Result.FULL);
        // The consumer releases the entries at the next call of receive.
        SkBuff third = receive();
        assertThat(send(refused)).isEqualTo(Result.COPIED);
        third.free();
        for (SkBuff skb = consumer.receive(receivers); skb != null; skb = consumer.receive(receivers)) {
            assertThat(Packets.bytes(skb)).isEqualTo(expected(60_000));
            skb.free();
            packets--;
        }
        assertThat(packets).isEqualTo(2);
    }

    @Test
    void packetsOfAllSizesArriveInOrderForManyRoundsHoweverLateTheirBuffersAreFreed() throws Exception {
        SplittableRandom random = new SplittableRandom(5);
        MemorySegment shared = own.allocate(1 << 17, 64, arena);
        shared.copyFrom(MemorySegment.ofArray(Packets.random(1 << 17, 9)));
        MemorySegment other = arena.allocate(1 << 17);
        other.copyFrom(shared);
        Queue<Integer> sent = new ArrayDeque<>();
        List<SkBuff> late = new ArrayList<>();
        int received = 0;
        while (received < 20_000) {
            int bytes = random.nextInt(4) == 0 ? random.nextInt(60_000) : random.nextInt(2000);
            if (random.nextBoolean() && senders.available() > 0) {
                if (send(packet((random.nextBoolean() ? shared : other).asSlice(0, bytes))) != Result.FULL) {
                    sent.add(bytes);
                }
                producer.reap();
            } else if (receivers.available() > 0) {
                SkBuff skb = consumer.receive(receivers);
                if (skb != null) {
                    received++;
                    int length = sent.remove();
                    assertThat(skb.len()).isEqualTo(HEADERS + length);
                    skb.copyBits(HEADERS, ring(length), 0, length);
                    assertThat(MemorySegment.mismatch(scratch, 0, length, shared, 0, length))
                            .isEqualTo(-1);
                    late.add(skb);
                }
            }
            if (late.size() > 6) {
                freeUnchanged(late.remove(random.nextInt(late.size())), shared);
            }
        }
        late.forEach(skb -> freeUnchanged(skb, shared));
        drain();
        assertThat(producer.reap()).isZero();
        assertThat(consumer.isBroken() || producer.isBroken()).isFalse();
    }

    /** Checks that the payload was not overwritten while the buffer was in use. */
    private void freeUnchanged(SkBuff skb, MemorySegment payload) {
        int length = skb.len() - HEADERS;
        skb.copyBits(HEADERS, ring(length), 0, length);
        assertThat(MemorySegment.mismatch(scratch, 0, length, payload, 0, length))
                .as("first byte that has changed of %d", length)
                .isEqualTo(-1);
        skb.free();
    }

    private MemorySegment scratch = MemorySegment.NULL;

    private MemorySegment ring(int length) {
        scratch = scratch.byteSize() == 0 ? arena.allocate(1 << 17) : scratch;
        assertThat((long) length).isLessThan(scratch.byteSize());
        return scratch;
    }

    @Test
    void whateverABadPeerWritesNothingIsReadOutsideAndNothingIsThrown() throws Exception {
        own.allocate(1 << 16, 64, arena);
        SplittableRandom random = new SplittableRandom(6);
        int broken = 0;
        for (int i = 0; i < 20_000; i++) {
            ring.fill((byte) 0);
            RingConsumer victim = new RingConsumer(ring, seen, null, counters);
            long at = RingLayout.DATA;
            for (int word = 0; word < 40; word++) {
                int value = random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(300);
                ring.set(ValueLayout.JAVA_INT, at + 4L * word, value);
            }
            int kind = random.nextInt(32);
            ring.set(
                    ValueLayout.JAVA_INT,
                    at + RingLayout.SHAPE,
                    random.nextInt(4) == 0
                            ? random.nextInt()
                            : RingLayout.shape(kind, random.nextInt(4), random.nextInt(200)));
            SkBuff skb = victim.receive(receivers);
            if (skb != null) {
                Packets.bytes(skb);
                skb.free();
            }
            broken += victim.isBroken() ? 1 : 0;
        }
        assertThat(broken).isBetween(5000, 19_900);
    }

    @Test
    void aPeerThatSaysItHasReadWhatWasNeverSentIsCutOff() {
        ring.set(ValueLayout.JAVA_LONG, RingLayout.RELEASED, 1L << 40);
        SkBuff skb = packet(payload(60_000));
        Result last = Result.COPIED;
        for (int i = 0; i < 20 && last == Result.COPIED; i++) {
            last = producer.offer(skb);
        }
        skb.free();
        assertThat(last).isEqualTo(Result.FULL);
        assertThat(producer.isBroken()).isTrue();
        drain();
    }

    private void drain() {
        for (SkBuff skb = consumer.receive(receivers); skb != null; skb = consumer.receive(receivers)) {
            skb.free();
        }
    }

    @Test
    void aSleeperIsWokenOnce() {
        assertThat(producer.mustWake()).isFalse();
        consumer.asleep(true);
        assertThat(consumer.isEmpty()).isTrue();
        send(packet(payload(10)));
        assertThat(consumer.isEmpty()).isFalse();
        assertThat(producer.mustWake()).isTrue();
        assertThat(producer.mustWake()).isFalse();
        receive().free();
    }

    @Test
    void sendingAndReceivingAllocatesNothing() throws Exception {
        MemorySegment shared = own.allocate(1 << 16, 64, arena);
        MemorySegment other = payload(60_000);
        long bytes = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 10_000; i++) {
                exchange(other, 64);
                exchange(other, 9000);
                exchange(shared, 9000);
            }
        });
        assertThat(bytes).isZero();
    }

    private void exchange(MemorySegment payload, int bytes) {
        SkBuff skb = senders.allocate();
        if (skb == null) {
            throw new AssertionError("a buffer is lost");
        }
        skb.put(HEADERS);
        skb.addFrag(payload, 0, bytes);
        if (producer.offer(skb) == Result.COPIED) {
            skb.free();
        }
        SkBuff received = consumer.receive(receivers);
        if (received == null) {
            throw new AssertionError("a packet is lost");
        }
        received.free();
        consumer.heldCount();
        producer.reap();
    }
}
