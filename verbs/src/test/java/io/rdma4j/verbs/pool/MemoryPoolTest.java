// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.loop.LoopProvider;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.Sge;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class MemoryPoolTest {
    private static final int SLAB = 8192;

    /** Two slabs of four sizes: 1024 to 8192 bytes. */
    private static final MemoryPoolOptions SMALL =
            MemoryPoolOptions.DEFAULT.withBlocks(1024, 8192).withSlabs(SLAB, 2 * SLAB);

    private final LoopProvider provider = new LoopProvider("loop0");
    private final Host host = Host.create("test");
    private final Context context;
    private final ProtectionDomain pd;
    private final List<MemoryLeak> leaks = new ArrayList<>();

    MemoryPoolTest() {
        host.register(provider);
        context = host.open("loop0");
        pd = context.allocatePd();
    }

    private static void assertRefused(Errno errno, String message, ThrowingCallable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call)
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void aLeaseIsRegisteredMemory() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        try (MemoryLease lease = pool.lease(1500)) {
            assertThat(lease.segment().byteSize()).isEqualTo(1500);
            assertThat(lease.address()).isEqualTo(lease.segment().address());
            assertThat(lease.address() % 2048).isZero();
            assertThat(lease.sge(100, 200)).isEqualTo(new Sge(lease.address() + 100, 200, lease.lkey()));
            assertThat(lease.rkey()).isEqualTo(pool.region(lease.handle()).rkey());
            assertRefused(Errno.EINVAL, "do not lie in a lease of 1500", () -> lease.sge(1400, 101));
        }
        pool.close();
        pool.close();
        pd.close();
    }

    @Test
    void blocksOfOneSizeShareARegionAndNoByte() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        Set<Long> addresses = new HashSet<>();
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            long block = pool.take(1024 - i);
            addresses.add(pool.address(block));
            keys.add(pool.region(block).lkey());
            assertThat(pool.segment(block).byteSize()).isEqualTo(1024);
            assertThat(pool.segment(block).address()).isEqualTo(pool.address(block));
        }
        assertThat(keys).hasSize(1);
        assertThat(addresses).hasSize(8);
        for (long address : addresses) {
            assertThat(addresses).doesNotContain(address + 1, address + 1023);
        }
        assertThat(pool.statistics()).isEqualTo(new MemoryPoolStatistics(SLAB, 1, SLAB, 8, 8, 0, 0));
    }

    @Test
    @Covers("GEN-13")
    void aCallerMayWaitForABlockOrBeRefusedAtOnce() throws Exception {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        long first = pool.take(8192, AllocationPolicy.MAY_BLOCK);
        long second = pool.take(8192, AllocationPolicy.NON_BLOCKING);
        assertRefused(Errno.ENOMEM, "all 2 blocks", () -> pool.lease(8192, AllocationPolicy.NON_BLOCKING));
        assertThat(pool.statistics().refusals()).isEqualTo(1);

        FutureTask<Long> waiter = new FutureTask<>(() -> pool.take(1024, AllocationPolicy.MAY_BLOCK));
        Thread thread = Thread.ofPlatform().start(waiter);
        awaitState(thread, Thread.State.WAITING);
        pool.give(first); // a slab of the larger size becomes idle, and makes room for one of the smaller
        long third = waiter.get();
        assertThat(pool.segment(third).byteSize()).isEqualTo(1024);
        assertThat(pool.statistics().refusals()).isEqualTo(1);
        pool.give(second);
        pool.give(third);
        pool.close();
    }

    @Test
    void aThreadThatWaitsCanBeInterrupted() throws Exception {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        pool.take(8192);
        pool.take(8192);
        FutureTask<Boolean> waiter = new FutureTask<>(() -> {
            assertRefused(Errno.EINTR, "interrupted", () -> pool.take(8192, AllocationPolicy.MAY_BLOCK));
            return Thread.interrupted();
        });
        Thread thread = Thread.ofPlatform().start(waiter);
        awaitState(thread, Thread.State.WAITING);
        thread.interrupt();
        assertThat(waiter.get()).isTrue();
    }

    private static void awaitState(Thread thread, Thread.State state) {
        while (thread.getState() != state) {
            assertThat(thread.isAlive()).isTrue();
            Thread.onSpinWait();
        }
    }

    @Test
    void aBlockThatIsGivenBackIsTakenNext() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        long first = pool.take(1024);
        long address = pool.address(first);
        assertThat(pool.give(first)).isTrue();
        long second = pool.take(1000);
        assertThat(pool.address(second)).isEqualTo(address);
        assertThat(second).isNotEqualTo(first);
    }

    @Test
    void whatWasGivenBackIsNotGivenBackAgain() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        long first = pool.take(1024);
        pool.give(first);
        long second = pool.take(1024);
        assertThat(pool.give(first)).isFalse();
        assertThat(pool.statistics().takenBlocks()).isEqualTo(1);
        assertRefused(Errno.EINVAL, "was it given back?", () -> pool.address(first));
        assertRefused(Errno.EINVAL, "was it given back?", () -> pool.segment(first));
        assertRefused(Errno.EINVAL, "was it given back?", () -> pool.region(first));
        assertThat(pool.give(second)).isTrue();
        for (long nonsense : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, 12345}) {
            assertThat(pool.give(nonsense)).isFalse();
            assertRefused(Errno.EINVAL, "no block", () -> pool.address(nonsense));
        }
    }

    @Test
    void aLeaseIsClosedOnceAndUsedNoMore() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        MemoryLease lease = pool.lease(1024);
        lease.close();
        MemoryLease next = pool.lease(1024);
        lease.close();
        assertThat(pool.statistics().takenBlocks()).isEqualTo(1);
        assertRefused(Errno.EINVAL, "lease of 1024 bytes is closed", lease::segment);
        assertRefused(Errno.EINVAL, "is closed", lease::address);
        assertRefused(Errno.EINVAL, "is closed", lease::lkey);
        assertRefused(Errno.EINVAL, "is closed", lease::rkey);
        assertRefused(Errno.EINVAL, "is closed", () -> lease.sge(0, 1));
        assertThat(next.segment().byteSize()).isEqualTo(1024);
    }

    @Test
    void whatIsTooLargeIsRefusedWithTheLimit() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        for (int bytes : new int[] {8193, 0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertRefused(Errno.EINVAL, bytes + " bytes are not in 1..8192", () -> pool.lease(bytes));
        }
        pool.lease(8192);
        pool.lease(8192);
        assertRefused(
                Errno.ENOMEM,
                "all 2 blocks of 8192 bytes are taken, and 2 slabs of 8192 bytes are all that the pool may have (16384)",
                () -> pool.lease(8192));
        assertThat(pool.statistics().refusals()).isEqualTo(1);
    }

    /** An idle slab of one size is freed for another size. */
    @Test
    void anIdleSlabMakesRoomForAnotherSize() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        long small = pool.take(1024);
        long large = pool.take(8192);
        assertRefused(Errno.ENOMEM, "blocks of 4096 bytes", () -> pool.take(4096));
        pool.give(large);
        long middle = pool.take(4096);
        assertThat(pool.statistics().slabs()).isEqualTo(2);
        pool.give(small);
        pool.give(middle);
        assertThat(pool.trim()).isEqualTo(2 * SLAB);
        assertThat(pool.trim()).isZero();
        assertThat(pool.give(small)).isFalse();
        assertRefused(Errno.EINVAL, "no block", () -> pool.address(small));
        long again = pool.take(1024);
        assertThat(pool.give(small))
                .as("a handle from before the slab was exchanged")
                .isFalse();
        assertThat(pool.give(again)).isTrue();
    }

    @Test
    void aPoolIsNotClosedUnderItsUsers() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        MemoryLease lease = pool.lease(2048);
        assertRefused(Errno.EBUSY, "has 1 blocks of 2048 bytes in use", pool::close);
        assertRefused(Errno.EBUSY, "1 memory region", pd::close);
        assertThat(lease.segment().scope().isAlive()).isTrue();
        lease.close();
        MemorySegment last = pool.segment(pool.take(1));
        assertThat(last.scope().isAlive()).isTrue();
        pool.give(pool.take(2048));
        assertRefused(Errno.EBUSY, "1 blocks", pool::close);
    }

    @Test
    void aClosedPoolGivesNothing() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        MemoryLease lease = pool.lease(2048);
        MemorySegment memory = lease.segment();
        lease.close();
        pool.close();
        assertThat(memory.scope().isAlive()).isFalse();
        assertRefused(Errno.EINVAL, "is closed", () -> pool.lease(1));
        assertRefused(Errno.EINVAL, "is closed", () -> pool.take(8192));
        assertRefused(Errno.EINVAL, "is closed", lease::segment);
        pd.close();
    }

    @Test
    void aSlabThatTheDeviceRefusesCostsNothing() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        provider.device(0).refuseNext(Errno.ENOMEM);
        assertRefused(Errno.ENOMEM, "refused by a test", () -> pool.lease(1));
        assertThat(pool.statistics().slabs()).isZero();
        pool.lease(1).close();
        pool.close();
        pd.close();
    }

    @Test
    void sizesMustFitTogether() {
        MemoryPoolOptions options = MemoryPoolOptions.DEFAULT;
        assertRefused(Errno.EINVAL, "min block 1000 is not a power of two", () -> options.withBlocks(1000, 4096));
        assertRefused(Errno.EINVAL, "min block 32 is not a power of two in 64..", () -> options.withBlocks(32, 4096));
        assertRefused(Errno.EINVAL, "in 64..1024", () -> options.withBlocks(2048, 1024));
        assertRefused(Errno.EINVAL, "max block 4194304", () -> options.withBlocks(256, 4 << 20));
        assertRefused(Errno.EINVAL, "slab 2097152", () -> options.withSlabs(2 << 20, 1 << 20));
        assertRefused(Errno.EINVAL, "blocks of 256", () -> options.withSlabs(2 << 20, 1L << 39));
    }

    @Test
    void theRightsAreThoseOfTheOptions() {
        Set<AccessFlag> rights = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
        MemoryPool pool = new MemoryPool(pd, SMALL.withAccess(rights));
        assertThat(pool.region(pool.take(1)).access()).isEqualTo(rights);
    }

    // Leaks

    @Test
    void anOpenLeaseIsToldWithThePlaceWhereItWasTaken() {
        MemoryPool pool = new MemoryPool(pd, SMALL.watched(leaks::add));
        MemoryLease lease = pool.lease(1024);
        assertThat(pool.openLeases()).singleElement().satisfies(open -> {
            assertThat(open.lengthBytes()).isEqualTo(1024);
            assertThat(open.thread()).isEqualTo(Thread.currentThread().getName());
            assertThat(open.takenAt().getFirst().getMethodName())
                    .isEqualTo("anOpenLeaseIsToldWithThePlaceWhereItWasTaken");
        });
        assertRefused(Errno.EBUSY, "anOpenLeaseIsToldWithThePlaceWhereItWasTaken", pool::close);
        lease.close();
        assertThat(pool.openLeases()).isEmpty();
        pool.close();
        assertThat(leaks).isEmpty();
    }

    private static void lose(MemoryPool pool) {
        assertThat(pool.lease(2000).lengthBytes()).isEqualTo(2000);
    }

    @Test
    void aLeaseThatWasLostIsToldAndItsMemoryUsedAgain() {
        MemoryPool pool = new MemoryPool(pd, SMALL.watched(leaks::add));
        lose(pool);
        for (int i = 0; i < 100 && leaks.isEmpty(); i++) {
            System.gc();
            pool.lease(1024).close();
        }
        assertThat(leaks).singleElement().satisfies(leak -> {
            assertThat(leak.lengthBytes()).isEqualTo(2000);
            assertThat(leak.takenAt().getFirst().getMethodName()).isEqualTo("lose");
            assertThat(leak.toString()).contains("2000 bytes was not closed", "MemoryPoolTest.lose");
        });
        assertThat(pool.statistics().leaks()).isEqualTo(1);
        assertThat(pool.statistics().takenBlocks()).isZero();
        pool.close();
    }

    // Threads and allocation

    @Test
    void threadsNeverShareABlock() throws InterruptedException {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            long mine = i;
            threads.add(Thread.ofPlatform()
                    .uncaughtExceptionHandler((_, e) -> failures.add(e))
                    .start(() -> takeAndGive(pool, mine)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(pool.statistics().takenBlocks()).isZero();
        pool.close();
    }

    private static void takeAndGive(MemoryPool pool, long mine) {
        for (int round = 0; round < 20_000; round++) {
            int bytes = 1 << 10 + ThreadLocalRandom.current().nextInt(2);
            MemoryLease lease;
            try {
                lease = pool.lease(bytes);
            } catch (RdmaException full) {
                assertThat(full.errno()).isEqualTo(Errno.ENOMEM);
                continue;
            }
            try (lease) {
                lease.segment().set(ValueLayout.JAVA_LONG, 0, mine);
                lease.segment().set(ValueLayout.JAVA_LONG, bytes - Long.BYTES, mine);
                Thread.onSpinWait();
                assertThat(lease.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(mine);
                assertThat(lease.segment().get(ValueLayout.JAVA_LONG, bytes - Long.BYTES))
                        .isEqualTo(mine);
            }
        }
    }

    @Test
    void takingAndGivingLeaveNothingOnTheHeap() {
        MemoryPool pool = new MemoryPool(pd, SMALL);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 2000; i++) {
                long block = pool.take(1 + i % 8192);
                pool.segment(block)
                        .set(
                                ValueLayout.JAVA_LONG,
                                0,
                                pool.address(block) + pool.region(block).lkey());
                pool.give(block);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }
}
