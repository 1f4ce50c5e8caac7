// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.shm.RingProducer.Result;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A ring whose consumer reads payload from the memory of the producer's process, which is this process. */
@Timeout(60)
class ProcessReadTest extends RingEnds {
    private static final int BYTES = 1 << 20;
    private static final int SHORT = 60_000;

    private final MemorySegment payload = arena.allocate(BYTES);
    private final MemorySegment target = arena.allocate(BYTES);

    @BeforeEach
    void letTheConsumerReadOtherProcesses() {
        ProcessMemory system = SharedMemoryEnds.processMemory();
        assumeTrue(system != null, "no native calls");
        join(system);
        payload.copyFrom(MemorySegment.ofArray(Packets.random(BYTES, 1)));
    }

    @AfterEach
    void neitherEndIsBroken() {
        assertThat(consumer.isBroken() || producer.isBroken()).isFalse();
    }

    private Result send(MemorySegment memory) {
        SkBuff skb = Objects.requireNonNull(senders.allocate());
        skb.put(44);
        skb.addFrag(memory, 0, (int) memory.byteSize());
        Result result = producer.offer(skb);
        if (result == Result.COPIED || result == Result.FULL) {
            skb.free();
        }
        return result;
    }

    private void expect(int bytes) {
        SkBuff skb = receive();
        assertThat(skb.dataLen()).isEqualTo(bytes);
        target.fill((byte) 0);
        skb.copyBits(44, target, 0, bytes);
        assertThat(MemorySegment.mismatch(target, 0, bytes, payload, 0, bytes)).isEqualTo(-1);
        skb.free();
        assertThat(consumer.receive(receivers)).isNull();
    }

    /**
     * The producer answers the challenge for a long payload. The consumer checks the answer at the next copied packet.
     */
    private void meet() {
        ask();
        assertThat(send(payload.asSlice(0, SHORT))).isEqualTo(Result.COPIED);
        expect(SHORT);
        assertThat(counters.processReads).isZero();
    }

    private void ask() {
        SkBuff skb = Objects.requireNonNull(senders.allocate());
        skb.addFrag(payload, 0, BYTES);
        assertThat(producer.readsInPlace(skb)).isFalse();
        skb.free();
    }

    @Test
    void onceThePeerHasShownThatItCanBeReadPayloadStaysWhereItIs() {
        meet();
        assertThat(send(payload)).isEqualTo(Result.REFERENCED);
        assertThat(senders.available()).isEqualTo(BUFFERS - 1);
        expect(BYTES);
        assertThat(producer.reap()).isZero();
        assertThat(senders.available()).isEqualTo(BUFFERS);
        assertThat(counters.processReads).isEqualTo(1);
        assertThat(send(payload.asSlice(0, OwnProcess.LEAST_BYTES - 1))).isEqualTo(Result.COPIED);
        expect(OwnProcess.LEAST_BYTES - 1);
        assertThat(counters.processesRefused).isZero();
    }

    @Test
    void piecesOfSharedAndOtherMemoryMakeOnePacket() throws Exception {
        meet();
        MemorySegment shared = own.allocate(SHORT, 64, arena);
        shared.copyFrom(payload.asSlice(0, SHORT));
        SkBuff skb = Objects.requireNonNull(senders.allocate());
        skb.put(44);
        skb.addFrag(shared, 0, SHORT);
        skb.addFrag(payload, SHORT, SHORT);
        assertThat(producer.offer(skb)).isEqualTo(Result.REFERENCED);
        SkBuff received = receive();
        received.copyBits(44 + 1000, target, 1000, 2 * SHORT - 1000);
        assertThat(MemorySegment.mismatch(target, 1000, 2 * SHORT, payload, 1000, 2 * SHORT))
                .isEqualTo(-1);
        received.free();
        assertThat(consumer.receive(receivers)).isNull();
        assertThat(counters.processReads).isEqualTo(2);
    }

    @Test
    void whoMayNotReadGetsCopies() {
        join(null);
        for (int i = 0; i < 3; i++) {
            meet();
        }
        assertThat(ring.get(ValueLayout.JAVA_LONG, RingLayout.WORD_ADDRESS)).isZero();
    }

    /** The number belongs to another process in this namespace, or the peer sends a wrong number. */
    @Test
    void aProcessThatDoesNotHaveTheWordIsNotRead() throws Exception {
        Process other = new ProcessBuilder("sleep", "60").start();
        try {
            ask();
            send(payload.asSlice(0, SHORT));
            ring.set(ValueLayout.JAVA_INT, RingLayout.PROCESS, (int) other.pid());
            expect(SHORT);
            assertThat(counters.processesRefused).isEqualTo(1);
            meet();
            assertThat(counters.processesRefused).isEqualTo(1);
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    @Test
    void memoryThatHasAnotherWordIsNotRead() {
        MemorySegment wrong = arena.allocate(Long.BYTES, Long.BYTES);
        ask();
        send(payload.asSlice(0, SHORT));
        ring.set(ValueLayout.JAVA_LONG, RingLayout.WORD_ADDRESS, wrong.address());
        expect(SHORT);
        assertThat(counters.processesRefused).isEqualTo(1);
        meet();
    }

    /** The process was killed, and another process has its number. */
    @Test
    void eachReadIsOfTheProcessThatHadTheWord() {
        meet();
        assertThat(send(payload)).isEqualTo(Result.REFERENCED);
        SkBuff skb = receive();
        word().set(ValueLayout.JAVA_LONG, 0, 4711);
        assertThatThrownBy(() -> skb.copyBits(44, target, 0, BYTES)).isInstanceOf(IllegalStateException.class);
        assertThat(skb.shinfo().hasAllBytes()).isFalse();
        assertThatThrownBy(() -> skb.copyBits(44, target, 0, 1)).isInstanceOf(IllegalStateException.class);
        skb.free();
        assertThat(counters.processesRefused).isEqualTo(1);
        assertThat(counters.processReads).isZero();
        meet();
    }

    @SuppressWarnings("restricted") // the producer's word, whose address is in the ring
    private MemorySegment word() {
        return MemorySegment.ofAddress(ring.get(ValueLayout.JAVA_LONG, RingLayout.WORD_ADDRESS))
                .reinterpret(Long.BYTES);
    }

    @Test
    void whatIsNotThereIsNotReadAndNothingElseEither() {
        meet();
        long entry = RingLayout.DATA;
        while (ring.get(ValueLayout.JAVA_INT, entry) != 0) {
            entry += RingLayout.span(ring.get(ValueLayout.JAVA_INT, entry));
        }
        assertThat(send(payload)).isEqualTo(Result.REFERENCED);
        assertThat(send(payload)).isEqualTo(Result.REFERENCED);
        ring.set(ValueLayout.JAVA_LONG, entry + RingLayout.HEADER_BYTES + Long.BYTES, 16);
        for (int i = 0; i < 2; i++) {
            SkBuff skb = receive();
            assertThatThrownBy(() -> skb.copyBits(44, target, 0, BYTES)).isInstanceOf(IllegalStateException.class);
            assertThat(skb.shinfo().hasAllBytes()).isFalse();
            skb.free();
        }
        assertThat(counters.processesRefused).isEqualTo(1);
        meet();
    }

    /** The region was deregistered, so the memory may have any content. */
    @Test
    void whatIsTakenBackBeforeItIsReadIsGoneAndTheNextIsNot() {
        meet();
        assertThat(send(payload)).isEqualTo(Result.REFERENCED);
        SkBuff skb = receive();
        assertThat(producer.takeBack(_ -> true)).isEqualTo(1);
        assertThatThrownBy(() -> skb.copyBits(44, target, 0, BYTES)).isInstanceOf(IllegalStateException.class);
        assertThat(skb.shinfo().hasAllBytes()).isFalse();
        skb.free();
        assertThat(consumer.receive(receivers)).isNull();
        assertThat(counters.processReads).isZero();
        assertThat(counters.processesRefused).isZero();
        assertThat(send(payload)).isEqualTo(Result.REFERENCED);
        expect(BYTES);
    }

    @Test
    void whatIsTakenBackWhileItIsReadIsGone() {
        ProcessMemory system = Objects.requireNonNull(SharedMemoryEnds.processMemory());
        join((process, address, to, at, length, wordAddress, word) -> {
            boolean done = system.read(process, address, to, at, length, wordAddress, word);
            producer.takeBack(_ -> true);
            return done;
        });
        meet();
        assertThat(send(payload)).isEqualTo(Result.REFERENCED);
        SkBuff skb = receive();
        assertThatThrownBy(() -> skb.copyBits(44, target, 0, BYTES)).isInstanceOf(IllegalStateException.class);
        assertThat(skb.shinfo().hasAllBytes()).isFalse();
        skb.free();
        assertThat(consumer.receive(receivers)).isNull();
        assertThat(counters.processesRefused).isZero();
    }

    @Test
    void closedMemoryIsNotLent() {
        meet();
        Arena shortLived = Arena.ofShared();
        MemorySegment memory = shortLived.allocate(BYTES);
        shortLived.close();
        SkBuff skb = Objects.requireNonNull(senders.allocate());
        skb.put(44);
        skb.addFrag(memory, 0, BYTES);
        assertThat(producer.readsInPlace(skb)).isFalse();
        assertThat(producer.holds(skb)).isFalse();
        skb.free();
    }

    /** The receiver caused the error: the payload stays readable. */
    @Test
    void aClosedTargetTakesNothing() {
        meet();
        assertThat(send(payload)).isEqualTo(Result.REFERENCED);
        SkBuff skb = receive();
        Arena shortLived = Arena.ofShared();
        MemorySegment closed = shortLived.allocate(BYTES);
        shortLived.close();
        assertThatThrownBy(() -> skb.copyBits(44, closed, 0, BYTES)).isInstanceOf(IllegalStateException.class);
        assertThat(skb.shinfo().hasAllBytes()).isTrue();
        skb.copyBits(44, target, 0, BYTES);
        assertThat(target.mismatch(payload)).isEqualTo(-1);
        skb.free();
        assertThat(consumer.receive(receivers)).isNull();
    }

    /** Two packets of the process arrive; it is killed before the second one is read. */
    @Test
    void memoryOfAnotherProcessIsReadUntilThatIsKilled() throws Exception {
        Path path = temporary.resolve("other");
        consumer = new RingConsumer(
                LendingProcess.ring(path, arena),
                seen,
                Objects.requireNonNull(SharedMemoryEnds.processMemory()),
                counters);
        Process process = LendingProcess.start(path);
        try {
            SkBuff first = nextLong(process);
            first.copyBits(44, target, 0, BYTES);
            assertThat(target.mismatch(payload)).isEqualTo(-1);
            first.free();
            assertThat(counters.processReads).isEqualTo(1);
            SkBuff second = nextLong(process);
            process.destroyForcibly().waitFor();
            assertThatThrownBy(() -> second.copyBits(44, target, 0, BYTES)).isInstanceOf(IllegalStateException.class);
            assertThat(second.shinfo().hasAllBytes()).isFalse();
            second.free();
            assertThat(counters.processesRefused).isEqualTo(1);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private SkBuff nextLong(Process process) {
        while (true) {
            SkBuff skb = consumer.receive(receivers);
            if (skb == null) {
                assertThat(process.isAlive()).isTrue();
                Thread.onSpinWait();
            } else if (skb.dataLen() == BYTES) {
                return skb;
            } else {
                skb.free();
            }
        }
    }

    @Test
    void nothingIsAllocated() {
        meet();
        MemorySegment piece = payload.asSlice(0, 2 * SHORT);
        long allocated = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 20_000; i++) {
                send(piece);
                SkBuff skb = receive();
                skb.copyBits(44, target, 0, 2 * SHORT);
                skb.free();
                consumer.receive(receivers);
                producer.reap();
            }
        });
        assertThat(allocated).isZero();
        assertThat(counters.processReads).isPositive();
    }
}
