// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.rdma4j.testing.ledger.Covers;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SkBuffPoolTest {
    @Test
    @Covers("SKB-101")
    void emptyPoolGivesNullAndCounts() {
        try (SkBuffPool pool = new SkBuffPool(2, 100)) {
            SkBuff a = allocate(pool);
            SkBuff b = allocate(pool);
            assertThat(pool.available()).isZero();
            assertThat(pool.allocate()).isNull();
            assertThat(pool.allocationFailures()).isEqualTo(1);
            a.free();
            assertThat(pool.available()).isEqualTo(1);
            assertThat(pool.allocate()).isSameAs(a);
            a.free();
            b.free();
        }
    }

    @Test
    @Covers("SKB-86")
    void blocksAreSeparateRoundedAndAligned() {
        try (SkBuffPool pool = new SkBuffPool(3, 100)) {
            assertThat(pool.count()).isEqualTo(3);
            assertThat(pool.bufferBytes()).isEqualTo(128);
            Set<Long> addresses = new HashSet<>();
            List<SkBuff> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                SkBuff skb = allocate(pool);
                all.add(skb);
                assertThat(skb.memory().address() % 64).isZero();
                assertThat(skb.cb().address() % 64).isZero();
                addresses.add(skb.memory().address());
                skb.memory().fill((byte) i);
            }
            assertThat(addresses).hasSize(3);
            all.forEach(SkBuff::free);
        }
    }

    @Test
    void closeTellsHowManyAreMissing() {
        SkBuffPool pool = new SkBuffPool(4, 64);
        allocate(pool).free();
        SkBuff lost = allocate(pool);
        allocate(pool);
        assertThat(pool.leaked()).isZero();
        pool.close();
        assertThat(pool.leaked()).isEqualTo(2);
        pool.close();
        assertThat(pool.leaked()).isEqualTo(2);
        lost.free();
        assertThatThrownBy(pool::allocate).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Covers("SKB-76")
    void aStreamFillsWhatItAskedForAndLeavesTheRestOfTheTailroom() {
        try (SkBuffPool pool = new SkBuffPool(1, 256)) {
            SkBuff skb = Objects.requireNonNull(pool.allocateStream(64, 100));
            assertThat(skb.headroom()).isEqualTo(64);
            assertThat(skb.tailroom()).isEqualTo(192);
            assertThat(skb.marks().reservedTailroom()).isEqualTo(92);
            assertThat(skb.availroom()).isEqualTo(100);
            skb.put(60);
            assertThat(skb.availroom()).isEqualTo(40);
            skb.put(40);
            assertThat(skb.availroom()).isZero();
            skb.put(92);
            assertThat(skb.availroom()).as("others may use the rest").isZero();
            assertThat(pool.allocateStream(64, 100)).isNull();
            skb.free();
            assertThatThrownBy(() -> pool.allocateStream(64, 193)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void sizesMustBePositive() {
        assertThatThrownBy(() -> new SkBuffPool(0, 64)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SkBuffPool(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SkBuffPool(1, Integer.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
    }

    /** One thread allocates, two threads free: no buffer is lost, and none is allocated twice. */
    @Test
    void buffersFreedByOtherThreadsComeBackOnceEach() throws InterruptedException {
        int rounds = 200_000;
        try (SkBuffPool pool = new SkBuffPool(64, 64)) {
            BlockingQueue<SkBuff> handedOver = new ArrayBlockingQueue<>(256);
            Thread[] freers = new Thread[2];
            List<Throwable> failures = new ArrayList<>();
            for (int i = 0; i < freers.length; i++) {
                freers[i] = Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, e) -> failures.add(e))
                        .start(() -> freeUntilInterrupted(handedOver));
            }
            for (int i = 0; i < rounds; ) {
                SkBuff skb = pool.allocate();
                if (skb == null) {
                    Thread.yield();
                    continue;
                }
                // A buffer that was allocated twice would have two users or the mark of another allocation.
                assertThat(skb.users()).isEqualTo(1);
                skb.meta().hash(++i);
                if ((i & 7) == 0) {
                    SkBuff clone = skb.cloneDescriptor();
                    if (clone != null) {
                        handedOver.put(clone);
                    }
                }
                assertThat(skb.meta().hash()).isEqualTo(i);
                handedOver.put(skb);
            }
            while (!handedOver.isEmpty()) {
                Thread.yield();
            }
            for (Thread freer : freers) {
                freer.interrupt();
                freer.join();
            }
            assertThat(failures).isEmpty();
            assertThat(pool.available()).isEqualTo(64);
        }
    }

    private static void freeUntilInterrupted(BlockingQueue<SkBuff> queue) {
        try {
            while (true) {
                queue.take().free();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void steadyStateAllocatesNothing() {
        try (SkBuffPool pool = new SkBuffPool(4, 256)) {
            SkBuffQueue queue = new SkBuffQueue(4);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 5; round++) {
                least = Math.min(least, allocatedBytes(() -> churn(pool, queue, 20_000)));
            }
            assertThat(least).isZero();
        }
    }

    private static void churn(SkBuffPool pool, SkBuffQueue queue, int times) {
        for (int i = 0; i < times; i++) {
            SkBuff skb = allocate(pool);
            skb.reserve(64);
            skb.put(100);
            skb.push(20);
            skb.setNetworkHeader(0);
            SkBuff other = allocate(pool);
            other.addFrag(skb.memory(), skb.data(), skb.len());
            other.linearize();
            SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
            queue.enqueue(other);
            queue.enqueue(clone);
            queue.purge();
            skb.free();
        }
    }

    private static long allocatedBytes(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static SkBuff allocate(SkBuffPool pool) {
        @Nullable SkBuff skb = pool.allocate();
        return Objects.requireNonNull(skb);
    }
}
