package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rdma4j.base.Mtu;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.RingCompletionCursor;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Posting, sending, receiving, acknowledging and polling allocate nothing once all is warm. */
class EngineAllocationTest implements Endpoint.Outlet {
    private static final int MESSAGES = 20_000;
    private static final int ROUNDS = 15;
    private static final int BUDGET = 64;

    private final PairSettings settings =
            new PairSettings().mtu(Mtu.MTU_1024).minRnrTimer(1).timeout(1);
    private final Endpoint a = new Endpoint(this, EnginePair.QPN_A, settings);
    private final Endpoint b = new Endpoint(this, EnginePair.QPN_B, settings);
    private final SkBuffQueue toA = new SkBuffQueue(1000);
    private final SkBuffQueue toB = new SkBuffQueue(1000);
    private long nowNs;

    /** One buffer of so many is lost; 0 for none. */
    private int lossInterval;

    private int carried;
    private long completed;

    EngineAllocationTest() {
        EnginePair.connect(a, b, settings.psnA);
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
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

    @Test
    void smallMessages() {
        assertAllocatesNothing(64, 8);
    }

    @Test
    void trains() {
        assertAllocatesNothing(50_000, 2);
    }

    @Test
    void losses() {
        lossInterval = 23;
        assertAllocatesNothing(3000, 4);
    }

    private void assertAllocatesNothing(int bytes, int perBatch) {
        TestRegion source = a.region(bytes);
        TestRegion target = b.region(bytes);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(threads.isThreadAllocatedMemoryEnabled()).isTrue();
        exchange(source, target, bytes, perBatch);
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && least != 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            exchange(source, target, bytes, perBatch);
            long after = threads.getCurrentThreadAllocatedBytes();
            least = Math.min(least, after - before);
        }
        assertThat(least)
                .as("bytes allocated by " + MESSAGES + " messages, best round")
                .isZero();
        assertThat(completed).isPositive();
    }

    private void exchange(TestRegion source, TestRegion target, int bytes, int perBatch) {
        long goal = completed + MESSAGES;
        while (completed < goal) {
            for (int i = 0; i < perBatch; i++) {
                b.receives()
                        .receive(i)
                        .sge(target.lkey(), target.address(), bytes)
                        .complete();
            }
            for (int i = 0; i < perBatch; i++) {
                a.sends()
                        .wrId(i)
                        .send()
                        .sge(source.lkey(), source.address(), bytes)
                        .complete();
            }
            int received = 0;
            for (int sent = 0; sent < perBatch; ) {
                step();
                sent += poll(a.sendCursor);
                received += poll(b.receiveCursor);
            }
            if (received != perBatch) {
                throw new AssertionError(received + " messages received, " + perBatch + " sent");
            }
            completed += perBatch;
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
        b.engine.pollTransmit(nowNs, BUDGET);
        for (SkBuff skb = toA.dequeue(); skb != null; skb = toA.dequeue()) {
            a.receive(skb, nowNs);
            skb.free();
        }
    }

    private static int poll(RingCompletionCursor queue) {
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
}
