// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.SpinLock;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both ends of a completion queue. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CompletionRingTest {
    private static final int LOG2_ELEMENT = 0;
    private static final int ELEMENTS = 192;

    private final RecordingOwner owner = new RecordingOwner();
    private final CompletionEntry entry = new CompletionEntry();

    private CompletionRing ring(CqInitAttributes attributes) {
        return new CompletionRing(attributes, owner);
    }

    private CompletionEntry completion(long wrId) {
        return entry.begin(wrId, WcStatus.SUCCESS, WcOpcode.RECV, 0x11);
    }

    private static List<Long> drain(RingCompletionCursor queue) {
        List<Long> found = new ArrayList<>();
        try (CompletionCursor cursor = queue.start()) {
            while (cursor.next()) {
                found.add(cursor.wrId());
            }
        }
        return found;
    }

    private static RingCompletionCursor client(CompletionRing ring) {
        return new RingCompletionCursor(ring, () -> {});
    }

    /** Also round the end of the ring, for a completion that is being read, and for one that no poll has seen yet. */
    @Test
    @Covers({"CQ-33", "QP-33"})
    void theCompletionsOfOneQueuePairAreRemoved() {
        CompletionRing ring = ring(CqInitAttributes.of(7));
        RingCompletionCursor queue = client(ring);
        for (int round = 0; round < 9; round++) {
            for (int i = 0; i < 6; i++) {
                ring.post(entry.begin(i, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, i % 3 == 1 ? 7 : 8), false);
            }
            queue.discard(9);
            try (CompletionCursor cursor = queue.start()) {
                assertThat(cursor.next()).isTrue();
                ring.post(entry.begin(6, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 7), false);
                queue.discard(8);
                assertThat(cursor.wrId()).isZero();
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.wrId()).isEqualTo(1);
            }
            assertThat(drain(queue)).containsExactly(4L, 6L);
            ring.post(entry.begin(1, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 7), false);
            queue.discard(7);
            assertThat(queue.waiting()).isZero();
        }
    }

    private static Long[] numbers(int from, int to) {
        return LongStream.range(from, to).boxed().toArray(Long[]::new);
    }

    /**
     * The layout is fixed, because another process may read it. Elements too small for the fields cannot occur, because
     * both ends derive the element size from the fields. A library that maps a queue of the kernel must check this.
     */
    @Test
    @Covers({"RXE-45", "RXE-51", "CQ-26", "CQ-70"})
    void everyFieldHasItsPlaceAndComesOutAgain() {
        MemorySegment memory = Arena.ofAuto().allocate(CompletionRing.bytes(1), 64);
        CompletionRing ring = ring(CqInitAttributes.of(1).withBuffer(memory).withTimestamps());
        entry.begin(0x0102_0304_0506_0708L, WcStatus.SUCCESS, WcOpcode.RECV_RDMA_WITH_IMM, 0xABCDEF);
        entry.vendorError = 0x63;
        entry.byteLength = -2;
        entry.immediate = 0x11223344;
        entry.sourceQp = 0x123456;
        entry.flags = 3;
        entry.route(0xC001, 15, 127);
        entry.arrival(0xFFFE, 0xFE);
        assertThat(ring.post(entry, false)).isTrue();

        assertThat(memory.get(ValueLayout.JAVA_INT, LOG2_ELEMENT)).isEqualTo(6);
        MemorySegment at = memory.asSlice(ELEMENTS, 64);
        assertThat(at.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(new int[] {
                    at.get(ValueLayout.JAVA_INT, 8),
                    at.get(ValueLayout.JAVA_INT, 12),
                    at.get(ValueLayout.JAVA_INT, 16),
                    at.get(ValueLayout.JAVA_INT, 20),
                    at.get(ValueLayout.JAVA_INT, 24),
                    at.get(ValueLayout.JAVA_INT, 28),
                    at.get(ValueLayout.JAVA_INT, 32),
                    at.get(ValueLayout.JAVA_INT, 36)
                })
                .containsExactly(0, 129, 0x63, -2, 0xABCDEF, 0x11223344, 0x123456, 3);
        assertThat(at.get(ValueLayout.JAVA_LONG, 40)).isEqualTo(owner.nowNs);
        assertThat(at.get(ValueLayout.JAVA_SHORT, 48)).isEqualTo((short) 0xFFFE);
        assertThat(at.get(ValueLayout.JAVA_SHORT, 50)).isEqualTo((short) 0xC001);
        assertThat(at.asSlice(52, 3).toArray(ValueLayout.JAVA_BYTE)).containsExactly(15, 127, -2);

        try (CompletionCursor cursor = client(ring).start()) {
            assertThat(cursor.next()).isTrue();
            assertThat(WorkCompletion.of(cursor))
                    .isEqualTo(new WorkCompletion(
                            0x0102_0304_0506_0708L,
                            WcStatus.SUCCESS,
                            WcOpcode.RECV_RDMA_WITH_IMM,
                            0x63,
                            -2,
                            0xABCDEF,
                            0x11223344,
                            0x123456,
                            Set.of(WcFlag.GRH, WcFlag.WITH_IMM),
                            0xFFFE,
                            0xC001,
                            15,
                            127,
                            0xFE));
            assertThat(cursor.timestampNs()).isEqualTo(owner.nowNs);
        }
    }

    @Test
    @Covers("CQ-5")
    void theTimeIsTakenWhenTheCompletionIsMadeAndOnlyIfAskedFor() {
        CompletionRing stamped = ring(CqInitAttributes.of(3).withTimestamps());
        CompletionRing plain = ring(CqInitAttributes.of(3));
        long beganNs = owner.nowNs;
        for (int i = 0; i < 3; i++) {
            owner.nowNs += 17;
            stamped.post(completion(i), false);
            plain.post(completion(i), false);
        }
        try (CompletionCursor of = client(stamped).start();
                CompletionCursor not = client(plain).start()) {
            for (int i = 1; i <= 3; i++) {
                assertThat(of.next() && not.next()).isTrue();
                assertThat(of.timestampNs()).isEqualTo(beganNs + 17L * i);
                assertThat(not.timestampNs()).isZero();
            }
        }
    }

    @Test
    @Covers("CQ-17")
    void aFullQueueBreaksAndStaysBroken() {
        CompletionRing ring = ring(CqInitAttributes.of(3));
        for (int i = 0; i < 3; i++) {
            assertThat(ring.post(completion(i), false)).isTrue();
        }
        assertThat(ring.post(completion(3), false)).isFalse();
        assertThat(ring.isBroken()).isTrue();
        assertThat(drain(client(ring))).containsExactly(0L, 1L, 2L);
        assertThat(ring.post(completion(4), false)).isFalse();
        assertThat(owner.errors).isEqualTo(1);
    }

    /** A completion that does not fit is lost, and no error is raised. */
    @Test
    @Covers("RXE-47")
    void aQueueWithoutOverrunCheckGoesOn() {
        CompletionRing ring = ring(CqInitAttributes.of(3).withFlags(CqCreateFlag.IGNORE_OVERRUN));
        for (int i = 0; i < 5; i++) {
            assertThat(ring.post(completion(i), false)).isTrue();
        }
        assertThat(drain(client(ring))).containsExactly(0L, 1L, 2L);
        assertThat(ring.post(completion(5), false)).isTrue();
        assertThat(drain(client(ring))).containsExactly(5L);
        assertThat(ring.isBroken()).isFalse();
        assertThat(owner.errors).isZero();
    }

    @Test
    @Covers("RXE-48")
    void aQueueInMemoryOfTheProgramBreaksWhenThatIsClosed() {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(CompletionRing.bytes(3), 64);
        CompletionRing ring = ring(CqInitAttributes.of(3).withBuffer(memory));
        RingCompletionCursor client = client(ring);
        ring.post(completion(7), false);
        assertThat(memory.get(ValueLayout.JAVA_LONG, ELEMENTS)).isEqualTo(7);
        assertThat(drain(client)).containsExactly(7L);
        assertRefused(Errno.EINVAL, "stays as large", () -> ring.resize(7));

        arena.close();
        assertThat(ring.post(completion(8), false)).isFalse();
        assertThat(ring.post(completion(9), false)).isFalse();
        assertThat(owner.errors).isEqualTo(1);
        assertRefused(Errno.EFAULT, "has closed the memory", client::start);
        assertRefused(Errno.EFAULT, "has closed the memory", client::start);
    }

    @Test
    @Covers({"CQ-8", "CQ-10"})
    void completionsSurviveAResizeInTheirOrder() {
        CompletionRing ring = ring(CqInitAttributes.of(7));
        RingCompletionCursor client = client(ring);
        // Advances the indexes, so that the waiting completions wrap around the end of the ring.
        for (int i = 0; i < 5; i++) {
            ring.post(completion(i), false);
        }
        assertThat(drain(client)).hasSize(5);
        for (int i = 5; i < 11; i++) {
            ring.post(completion(i), false);
        }
        assertThat(client.waiting()).isEqualTo(6);
        ring.resize(100);
        assertThat(ring.ring().capacity()).isEqualTo(127);
        assertThat(client.waiting()).isEqualTo(6);
        for (int i = 11; i < 15; i++) {
            ring.post(completion(i), false);
        }
        ring.resize(10);
        assertThat(ring.ring().capacity()).isEqualTo(15);
        assertRefused(Errno.EINVAL, "more completions than that wait, namely 10", () -> ring.resize(7));
        assertThat(ring.ring().capacity()).isEqualTo(15);
        assertThat(drain(client)).containsExactly(numbers(5, 15));
        ring.resize(1);
        assertThat(ring.ring().capacity()).isEqualTo(1);
        assertThat(client.waiting()).isZero();
    }

    /** One thread posts, one polls, one resizes, each with the same locks as in a device. */
    @Test
    @Covers("CQ-8")
    void aQueueIsResizedWhileOthersPostAndPoll() throws Exception {
        CompletionRing ring = ring(CqInitAttributes.of(500));
        RingCompletionCursor client = client(ring);
        SpinLock loop = new SpinLock();
        int count = 50_000;
        FutureTask<Boolean> poster = new FutureTask<>(() -> {
            for (int i = 0; i < count; i++) {
                while (client.waiting() > 400) {
                    Thread.yield();
                }
                loop.lock();
                ring.post(completion(i), false);
                loop.unlock();
            }
            return true;
        });
        FutureTask<Integer> resizer = new FutureTask<>(() -> {
            int resizes = 0;
            while (!poster.isDone()) {
                int entries = resizes++ % 2 == 0 ? 3000 : 500;
                client.exclusively(() -> {
                    loop.lock();
                    try {
                        ring.resize(entries);
                    } finally {
                        loop.unlock();
                    }
                });
                Thread.yield();
            }
            return resizes;
        });
        Thread.ofPlatform().daemon().start(poster);
        Thread.ofPlatform().daemon().start(resizer);
        List<Long> found = new ArrayList<>();
        while (found.size() < count) {
            found.addAll(drain(client));
        }
        assertThat(found).containsExactly(numbers(0, count));
        assertThat(poster.get()).isTrue();
        assertThat(resizer.get()).isGreaterThan(1);
        assertThat(owner.errors).isZero();
    }

    /** Each completion is polled by one thread, and each thread polls its completions in order. */
    @Test
    @Covers("RXE-239")
    void pollersTakeTurns() throws Exception {
        CompletionRing ring = ring(CqInitAttributes.of(10_000));
        RingCompletionCursor client = client(ring);
        int count = 10_000;
        for (int i = 0; i < count; i++) {
            ring.post(completion(i), false);
        }
        List<FutureTask<List<Long>>> pollers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FutureTask<List<Long>> poller = new FutureTask<>(() -> pollOneByOne(client));
            pollers.add(poller);
            Thread.ofPlatform().daemon().start(poller);
        }
        List<Long> all = new ArrayList<>();
        for (FutureTask<List<Long>> poller : pollers) {
            assertThat(poller.get()).isSorted();
            all.addAll(poller.get());
        }
        assertThat(all).containsExactlyInAnyOrder(numbers(0, count));
        assertThat(drain(client)).isEmpty();
    }

    private static List<Long> pollOneByOne(RingCompletionCursor client) {
        List<Long> mine = new ArrayList<>();
        while (true) {
            try (CompletionCursor cursor = client.start()) {
                if (!cursor.next()) {
                    return mine;
                }
                mine.add(cursor.wrId());
            }
        }
    }
}
