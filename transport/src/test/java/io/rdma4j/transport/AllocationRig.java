// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.management.ManagementFactory;
import java.util.function.IntSupplier;

/** Two connected engines on a network that allocates nothing, and the scales to weigh what they allocate. */
final class AllocationRig implements Endpoint.Outlet, AutoCloseable {
    private static final int BATCHES = 4_000;
    private static final int ROUNDS = 15;
    private static final int BUDGET = 64;

    final Endpoint a;
    final Endpoint b;

    /** One buffer of so many is lost; 0 for none. */
    int lossInterval;

    /** Completions of sends and receives so far. */
    long sent;

    long received;

    private final SkBuffQueue toA = new SkBuffQueue(1000);
    private final SkBuffQueue toB = new SkBuffQueue(1000);
    private final StepLimit steps = new StepLimit("a batch completes", 1_000_000);
    private int carried;
    private long nowNs;

    AllocationRig(PairSettings settings) {
        a = new Endpoint(this, EnginePair.QPN_A, settings);
        b = new Endpoint(this, EnginePair.QPN_B, settings);
        EnginePair.connect(a, b, settings.psnA);
    }

    @Override
    public void carry(SkBuff skb, Endpoint from) {
        carried++;
        boolean lost = lossInterval != 0 && carried % lossInterval == 0;
        if (lost || !(from == a ? toB : toA).enqueue(skb)) {
            skb.free();
        }
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    /** Runs {@code batch} many times; it returns how many sends of A it posted, which are waited for. */
    void assertAllocatesNothing(IntSupplier batch) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(threads.isThreadAllocatedMemoryEnabled()).isTrue();
        exchange(batch);
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && least != 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            exchange(batch);
            long after = threads.getCurrentThreadAllocatedBytes();
            least = Math.min(least, after - before);
        }
        assertThat(least)
                .as("bytes allocated by %d batches, best round", BATCHES)
                .isZero();
        assertThat(sent).isPositive();
    }

    private void exchange(IntSupplier batch) {
        for (int i = 0; i < BATCHES; i++) {
            long goal = sent + batch.getAsInt();
            steps.renew();
            while (sent < goal) {
                steps.step();
                step();
            }
        }
    }

    private void step() {
        nowNs += 1000;
        a.engine.onTimeout(nowNs);
        a.engine.pollTransmit(nowNs, BUDGET);
        for (SkBuff skb = toB.dequeue(); skb != null; skb = toB.dequeue()) {
            b.receive(skb, nowNs);
            skb.free();
        }
        b.engine.onTimeout(nowNs);
        b.engine.pollTransmit(nowNs, BUDGET);
        for (SkBuff skb = toA.dequeue(); skb != null; skb = toA.dequeue()) {
            a.receive(skb, nowNs);
            skb.free();
        }
        sent += poll(a.sendCursor);
        received += poll(b.receiveCursor);
    }

    static int poll(RingCompletionCursor queue) {
        int count = 0;
        try (CompletionCursor cursor = queue.start()) {
            while (cursor.next()) {
                if (cursor.status() != WcStatus.SUCCESS) {
                    throw new AssertionError("completed with " + cursor.status());
                }
                count++;
            }
        }
        return count;
    }

    @Override
    public void close() {
        a.close();
        b.close();
    }
}
