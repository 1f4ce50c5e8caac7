// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.scale;

import io.rdma4j.bench.verbs.SelfDevice;
import io.rdma4j.bench.verbs.VerbsEnd;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Many queue pairs of one device, connected in pairs; they share a completion queue and a memory region. */
final class ManyQps implements AutoCloseable {
    /** Entries of each queue: the minimum, so that the rings do not dominate the measured memory. */
    private static final int DEPTH = 1;

    private static final int BATCH = 256;
    private static final int CQ_ENTRIES = 4 * BATCH;
    private static final int PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final MemoryRegion region;
    private final long address;
    private final VerbsEnd[] ends;
    private final long connectNs;

    /** @param count number of queue pairs; an even number, or 1 for a pair that counts as one */
    ManyQps(SelfDevice device, int count) {
        pd = device.context().allocatePd();
        cq = device.context().createCq(CQ_ENTRIES);
        MemorySegment memory = arena.allocate(2L * PAGE_BYTES, PAGE_BYTES);
        address = memory.address();
        region = pd.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE));
        ends = new VerbsEnd[Math.max(2, count)];
        long start = System.nanoTime();
        for (int i = 0; i < ends.length; i += 2) {
            ends[i] = new VerbsEnd(device.context(), pd, cq, DEPTH);
            ends[i + 1] = new VerbsEnd(device.context(), pd, cq, DEPTH);
            ends[i].connectTo(ends[i + 1]);
            ends[i + 1].connectTo(ends[i]);
        }
        connectNs = System.nanoTime() - start;
    }

    int size() {
        return ends.length;
    }

    /** Queue pairs per second, from creation to RTS. */
    double connectRate() {
        return ends.length * 1e9 / connectNs;
    }

    /** Bytes of the rings of a queue pair, on the heap. */
    static long ringBytes() {
        return SendQueue.bytes(DEPTH, 1, 0) + ReceiveQueue.bytes(DEPTH, 1);
    }

    /**
     * Sends messages on all pairs in turn.
     *
     * @param bytes of a message, at most a page
     * @param durationNs duration of the measurement
     * @return messages per second
     */
    double rate(int bytes, long durationNs) {
        int pairs = ends.length / 2;
        int atOnce = Math.min(pairs, BATCH);
        long start = System.nanoTime();
        long messages = 0;
        int next = 0;
        while (System.nanoTime() - start < durationNs) {
            for (int i = 0; i < atOnce; i++) {
                post(ends[next], ends[next + 1], bytes);
                next = (next + 2) % ends.length;
            }
            await(2 * atOnce);
            messages += atOnce;
        }
        return messages * 1e9 / (System.nanoTime() - start);
    }

    /** Every queue pair sends a message and receives one. */
    void work(int bytes) {
        for (int i = 0; i < ends.length; i += 2) {
            post(ends[i], ends[i + 1], bytes);
            post(ends[i + 1], ends[i], bytes);
            await(4);
        }
    }

    private void post(VerbsEnd from, VerbsEnd to, int bytes) {
        to.postReceive(region.lkey(), address + PAGE_BYTES, bytes);
        from.postSend(region.lkey(), address, bytes);
    }

    private void await(int completions) {
        int completed = 0;
        while (completed < completions) {
            completed += VerbsEnd.poll(cq);
        }
    }

    @Override
    public void close() {
        for (VerbsEnd end : ends) {
            end.close();
        }
        cq.close();
        region.close();
        pd.close();
        arena.close();
    }
}
