// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.SendStation.COMPARE;
import static io.rdma4j.verbs.SendStation.HEADER;
import static io.rdma4j.verbs.SendStation.REMOTE;
import static io.rdma4j.verbs.SendStation.RKEY;
import static io.rdma4j.verbs.SendStation.SWAP;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rdma4j.verbs.spi.ring.Ring;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WindowType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Posting allocates nothing on the heap, for every operation. */
class PostAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 20;
    private static final int REPETITIONS = 2000;

    private final Fixture fixture = new Fixture();
    private final AddressHandle path = fixture.pd.createAddressHandle(fixture.path());
    private final MemoryWindow window = fixture.pd.allocateWindow(WindowType.TYPE_2);
    private final MemoryRegion region = fixture.bindable(4096);
    private final FastMemoryRegion fast = fixture.pd.allocateFastRegion(1);
    private final MemorySegment inline = Arena.ofAuto().allocate(24);

    private static long leastOf(Runnable work) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < REPETITIONS; i++) {
                work.run();
            }
            // The minimum of all rounds is the allocation after JIT compilation.
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    @ParameterizedTest
    @EnumSource(WrOpcode.class)
    void postingAnOperationAllocatesNothing(WrOpcode opcode) {
        fast.map(List.of(fixture.pages(1)));
        SendStation station = new SendStation(opcode == WrOpcode.TSO ? QpType.UD : QpType.RC);
        Ring ring = station.queue.ring();

        long bytes = leastOf(() -> {
            add(station.start().wrId(1).signaled(), opcode).complete();
            ring.publishConsumer(ring.acquireProducer());
        });

        assertThat(bytes).isZero();
        assertThat(station.doorbells).isEqualTo(ROUNDS * REPETITIONS);
    }

    private SendBatch add(SendBatch batch, WrOpcode opcode) {
        return switch (opcode) {
            case SEND -> batch.send().inline(inline);
            case SEND_WITH_IMM -> batch.sendImm(7).sge(1, 0x1000, 8);
            case SEND_WITH_INV -> batch.sendInvalidate(RKEY).sge(1, 0x1000, 8);
            case RDMA_WRITE -> batch.rdmaWrite(RKEY, REMOTE).sge(1, 0x1000, 8);
            case RDMA_WRITE_WITH_IMM -> batch.rdmaWriteImm(RKEY, REMOTE, 7).sge(1, 0x1000, 8);
            case RDMA_READ -> batch.rdmaRead(RKEY, REMOTE).sge(1, 0x1000, 8);
            case RDMA_READ_WITH_INV -> batch.rdmaReadInvalidate(RKEY, REMOTE, 7).sge(1, 0x1000, 8);
            case ATOMIC_CMP_AND_SWP ->
                batch.atomicCompareSwap(RKEY, REMOTE, COMPARE, SWAP).sge(1, 0x1000, 8);
            case ATOMIC_FETCH_AND_ADD ->
                batch.atomicFetchAdd(RKEY, REMOTE, COMPARE).sge(1, 0x1000, 8);
            case MASKED_ATOMIC_CMP_AND_SWP ->
                batch.maskedAtomicCompareSwap(RKEY, REMOTE, COMPARE, -1, SWAP, -1)
                        .sge(1, 0x1000, 8);
            case MASKED_ATOMIC_FETCH_AND_ADD ->
                batch.maskedAtomicFetchAdd(RKEY, REMOTE, COMPARE, -1).sge(1, 0x1000, 8);
            case FLUSH -> batch.flush(RKEY, REMOTE, 64, FlushType.GLOBAL.bit(), FlushLevel.RANGE);
            case ATOMIC_WRITE -> batch.atomicWrite(RKEY, REMOTE, SWAP);
            case LOCAL_INV -> batch.localInvalidate(RKEY);
            case BIND_MW -> batch.bindWindow(window, RKEY, region, region.iova(), 64, 4);
            case REG_MR -> batch.registerMemory(fast, RKEY, 1);
            case TSO -> batch.sendSegmented(HEADER, 100).destination(path, 5, 6).sge(1, 0x1000, 8);
        };
    }

    @Test
    void sharedReceivesArePostedAndTakenWithoutAllocating() {
        SharedReceiveRing ring = new SharedReceiveRing(7, 2, 0, _ -> {});
        RingMemory element = RingMemory.allocate(ring.elementBytes());

        long bytes = leastOf(() -> {
            ring.startReceive().receive(1).sge(1, 0x1000, 8).complete();
            ring.take(element, 0);
        });

        assertThat(bytes).isZero();
        assertThat(ring.available()).isZero();
    }
}
