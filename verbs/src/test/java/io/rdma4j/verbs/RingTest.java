// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.ReceiveOwner;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.Ring;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.RingReceiveBatch;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ring of all queues. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RingTest {
    private static final long LOG2_ELEMENT = 0;
    private static final long MASK = 4;
    private static final long PRODUCER = 64;
    private static final long CONSUMER = 128;
    private static final int ELEMENTS = 192;

    /** {@return a ring as two processes share it, or one on the Java heap} */
    private static Ring ring(boolean shared, int entries, int bytes) {
        return shared
                ? new Ring(entries, bytes, Arena.ofAuto().allocate(Ring.bytes(entries, bytes), Ring.ALIGNMENT))
                : new Ring(entries, bytes);
    }

    private static int word(Ring ring, long offset) {
        long word = ring.memory().get(offset & -Long.BYTES);
        return offset % Long.BYTES == 0 ? RingMemory.first(word) : RingMemory.second(word);
    }

    /**
     * The number of slots is the next power of two of entries + 1; elements have at least 64 bytes and a power of two.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 64",
        "2, 64, 3, 64",
        "3, 65, 3, 128",
        "4, 100, 7, 128",
        "100, 129, 127, 256",
        "127, 300, 127, 512",
        "128, 54, 255, 64"
    })
    @Covers("RXE-52")
    void aRingIsAsLargeAsPowersOfTwoHaveIt(int entries, int bytes, int capacity, int elementBytes) {
        Ring ring = new Ring(entries, bytes);
        assertThat(ring.capacity()).isEqualTo(capacity);
        assertThat(ring.elementBytes()).isEqualTo(elementBytes);
        assertThat(ring.memory().byteSize()).isEqualTo(ELEMENTS + (long) (capacity + 1) * elementBytes);
        assertThat(1 << word(ring, LOG2_ELEMENT)).isEqualTo(elementBytes);
        assertThat(word(ring, MASK)).isEqualTo(capacity);
        assertThat(ring.offset(capacity)).isEqualTo(ELEMENTS + (long) capacity * elementBytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, 1 << 24, Integer.MAX_VALUE})
    @Covers("RXE-52")
    void aRingOfNoSizeIsRefused(int entries) {
        assertRefused(Errno.EINVAL, entries + " entries", () -> new Ring(entries, 64));
    }

    /** One slot stays free, so that equal indexes mean empty. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Covers({"RXE-54", "RXE-55"})
    void bothEndsTurnTheRingWithoutEverMeeting(boolean shared) {
        Ring ring = ring(shared, 3, 64);
        int producer = 0;
        int consumer = 0;
        for (int turn = 0; turn < 100; turn++) {
            assertThat(ring.acquireProducer()).as("empty").isEqualTo(ring.ownConsumer());
            for (int i = 0; i < ring.capacity(); i++) {
                assertThat(ring.next(producer)).as("not full").isNotEqualTo(ring.acquireConsumer());
                ring.memory().set(ring.offset(producer), 10 * turn + i);
                producer = ring.next(producer);
                ring.publishProducer(producer);
                assertThat(ring.ownProducer()).isEqualTo(producer);
                assertThat(ring.distance(ring.acquireProducer(), ring.acquireConsumer()))
                        .isEqualTo(i + 1);
            }
            assertThat(ring.next(producer)).as("full").isEqualTo(ring.acquireConsumer());
            for (int i = 0; i < ring.capacity(); i++) {
                assertThat(ring.memory().get(ring.offset(consumer))).isEqualTo(10 * turn + i);
                consumer = ring.next(consumer);
                ring.publishConsumer(consumer);
            }
        }
    }

    /** The device produces completions, the application produces requests; each side writes only its own index. */
    @Test
    @Covers("RXE-53")
    void theDeviceProducesCompletionsAndTheClientRequests() {
        CompletionRing completions = CompletionRing.silent(3);
        Ring ring = completions.ring();
        completions.post(new CompletionEntry().begin(1, WcStatus.SUCCESS, WcOpcode.RECV, 2), false);
        assertThat(word(ring, PRODUCER)).isEqualTo(1);
        assertThat(word(ring, CONSUMER)).isZero();
        try (CompletionCursor cursor = new RingCompletionCursor(completions, () -> {}).start()) {
            assertThat(cursor.next()).isTrue();
        }
        assertThat(word(ring, PRODUCER)).isEqualTo(1);
        assertThat(word(ring, CONSUMER)).isEqualTo(1);

        ReceiveQueue receives = new ReceiveQueue(3, 1);
        new RingReceiveBatch(receives, new Poster()).start().receive(1).complete();
        assertThat(word(receives.ring(), PRODUCER)).isEqualTo(1);
        assertThat(word(receives.ring(), CONSUMER)).isZero();
    }

    private static final class Poster implements ReceiveOwner {
        @Override
        public @Nullable String receiveRefusal() {
            return null;
        }

        @Override
        public void receiveDoorbell() {}
    }

    /** Writes before the publication of an index are visible to the thread that has read the index. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoThreadsSeeWhatTheOtherHasPublished(boolean shared) throws Exception {
        Ring ring = ring(shared, 4095, 64);
        int rounds = 400_000;
        FutureTask<Integer> consumer = new FutureTask<>(() -> consume(ring, rounds));
        Thread.ofPlatform().daemon().start(consumer);
        int index = 0;
        for (int i = 0; i < rounds; i++) {
            while (ring.next(index) == ring.acquireConsumer()) {
                Thread.onSpinWait();
            }
            for (int word = 0; word < 64; word += 8) {
                ring.memory().set(ring.offset(index) + word, i);
            }
            index = ring.next(index);
            ring.publishProducer(index);
        }
        assertThat(consumer.get()).as("torn or old elements").isZero();
    }

    private static int consume(Ring ring, int rounds) {
        int wrong = 0;
        int index = 0;
        for (int i = 0; i < rounds; i++) {
            while (index == ring.acquireProducer()) {
                Thread.onSpinWait();
            }
            for (int word = 0; word < 64; word += 8) {
                wrong += ring.memory().get(ring.offset(index) + word) == i ? 0 : 1;
            }
            index = ring.next(index);
            ring.publishConsumer(index);
        }
        return wrong;
    }

    @Test
    @Covers("RXE-48")
    void aRingCanLieInMemoryOfTheCallerAndForgetsWhatWasThere() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Ring.bytes(3, 64) + 100, 64).fill((byte) -1);
            Ring ring = new Ring(3, 64, memory);
            assertThat(ring.memory().bytes()).isSameAs(memory);
            assertThat(ring.capacity()).isEqualTo(3);
            assertThat(ring.acquireProducer()).isZero();
            assertThat(ring.acquireConsumer()).isZero();
        }
    }

    @Test
    @Covers("RXE-48")
    void memoryThatIsNotFitForARingIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            long bytes = Ring.bytes(3, 64);
            MemorySegment memory = arena.allocate(bytes + 64, 64);
            for (MemorySegment unfit : new MemorySegment[] {
                memory.asSlice(0, bytes - 1),
                memory.asSlice(8, bytes),
                memory.asReadOnly(),
                MemorySegment.ofArray(new byte[(int) bytes])
            }) {
                assertRefused(Errno.EINVAL, bytes + " bytes", () -> new Ring(3, 64, unfit));
            }
        }
    }

    /** A resize copies the elements with their inline data, wherever the two rings lie. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void elementsMoveWithTheirInlineData(boolean shared) {
        Ring ring = ring(shared, 3, 128);
        for (int i = 0; i < 3; i++) {
            ring.memory().set(ring.offset(i), 10 + i);
            ring.memory().bytes().set(ValueLayout.JAVA_BYTE, ring.offset(i) + 127, (byte) (20 + i));
        }
        ring.publishProducer(3);
        ring.publishConsumer(1);
        Ring larger = ring(shared, 7, 128);
        assertThat(ring.copyTo(larger)).isTrue();
        assertThat(larger.ownProducer()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            assertThat(larger.memory().get(larger.offset(i))).isEqualTo(11 + i);
            assertThat(larger.memory().bytes().get(ValueLayout.JAVA_BYTE, larger.offset(i) + 127))
                    .isEqualTo((byte) (21 + i));
        }
        assertThat(ring.copyTo(ring(shared, 1, 128)))
                .as("a ring that is too small")
                .isFalse();
    }

    /** The device reads a receive out of a ring that another process shares. */
    @Test
    void elementsOfASharedRingCanBeCopiedToTheHeap() {
        Ring ring = ring(true, 1, 64);
        ring.memory().set(ring.offset(0) + 56, 9);
        RingMemory copy = RingMemory.allocate(64);
        ring.memory().copyTo(ring.offset(0), copy, 0, 64);
        assertThat(copy.get(56)).isEqualTo(9);
    }

    /** Inline data are parts of packets, so they lie in native memory even if the ring does not. */
    @Test
    void bytesAreNativeMemoryThatStaysTheSame() {
        Ring ring = new Ring(3, 64);
        MemorySegment bytes = ring.memory().bytes();
        assertThat(bytes.isNative()).isTrue();
        assertThat(bytes.byteSize()).isEqualTo(ring.memory().byteSize());
        assertThat(ring.memory().bytes()).isSameAs(bytes);
    }
}
