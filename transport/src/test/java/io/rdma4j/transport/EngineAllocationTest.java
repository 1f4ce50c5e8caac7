package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rdma4j.base.Mtu;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.FlushLevel;
import io.rdma4j.verbs.FlushType;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.RingCompletionCursor;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Posting, sending, receiving, acknowledging and polling allocate nothing once all is warm. */
class EngineAllocationTest implements Endpoint.Outlet {
    private static final int MESSAGES = 20_000;
    private static final int ROUNDS = 15;
    private static final int BUDGET = 64;

    /** Posts one request of A; {@code near} and {@code far} are the memories of both sides. */
    @FunctionalInterface
    private interface Post {
        void post(SendBatch batch, TestRegion near, TestRegion far, int bytes);
    }

    /** What is posted; the name says what. */
    enum Operation {
        SEND(true, (batch, near, far, bytes) -> batch.send().sge(near.lkey(), near.address(), bytes)),
        SEND_WITH_IMM(true, (batch, near, far, bytes) -> batch.sendImm(7).sge(near.lkey(), near.address(), bytes)),
        RDMA_WRITE(
                false,
                (batch, near, far, bytes) ->
                        batch.rdmaWrite(far.lkey(), far.address()).sge(near.lkey(), near.address(), bytes)),
        RDMA_WRITE_WITH_IMM(
                true,
                (batch, near, far, bytes) ->
                        batch.rdmaWriteImm(far.lkey(), far.address(), 7).sge(near.lkey(), near.address(), bytes)),
        RDMA_READ(
                false,
                (batch, near, far, bytes) ->
                        batch.rdmaRead(far.lkey(), far.address()).sge(near.lkey(), near.address(), bytes)),
        ATOMIC_CMP_AND_SWP(
                false,
                (batch, near, far, bytes) ->
                        batch.atomicCompareSwap(far.lkey(), far.address(), 1, 2).sge(near.lkey(), near.address(), 8)),
        ATOMIC_FETCH_AND_ADD(
                false,
                (batch, near, far, bytes) ->
                        batch.atomicFetchAdd(far.lkey(), far.address(), 1).sge(near.lkey(), near.address(), 8)),
        FLUSH(
                false,
                (batch, near, far, bytes) ->
                        batch.flush(far.lkey(), far.address(), bytes, FlushType.GLOBAL.bit(), FlushLevel.RANGE)),
        ATOMIC_WRITE(false, (batch, near, far, bytes) -> batch.atomicWrite(far.lkey(), far.address(), 1));

        private final boolean takesReceive;

        @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
        private final Post post;

        Operation(boolean takesReceive, Post post) {
            this.takesReceive = takesReceive;
            this.post = post;
        }
    }

    private final PairSettings settings =
            new PairSettings().rdma(8).mtu(Mtu.MTU_1024).minRnrTimer(1).timeout(1);
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
        assertAllocatesNothing(Operation.SEND, 64, 8);
    }

    @Test
    void trains() {
        assertAllocatesNothing(Operation.SEND, 50_000, 2);
    }

    @Test
    void losses() {
        lossInterval = 23;
        assertAllocatesNothing(Operation.SEND, 3000, 4);
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void everyOperation(Operation operation) {
        assertAllocatesNothing(operation, 2000, 4);
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"RDMA_WRITE", "RDMA_READ", "ATOMIC_FETCH_AND_ADD"})
    void lossesOfEveryKindOfAnswer(Operation operation) {
        lossInterval = 23;
        assertAllocatesNothing(operation, 3000, 4);
    }

    private void assertAllocatesNothing(Operation operation, int bytes, int perBatch) {
        TestRegion near = a.region(bytes);
        TestRegion far = b.shared(bytes);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(threads.isThreadAllocatedMemoryEnabled()).isTrue();
        exchange(operation, near, far, bytes, perBatch);
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && least != 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            exchange(operation, near, far, bytes, perBatch);
            long after = threads.getCurrentThreadAllocatedBytes();
            least = Math.min(least, after - before);
        }
        assertThat(least)
                .as("bytes allocated by " + MESSAGES + " messages, best round")
                .isZero();
        assertThat(completed).isPositive();
    }

    private void exchange(Operation operation, TestRegion near, TestRegion far, int bytes, int perBatch) {
        long goal = completed + MESSAGES;
        while (completed < goal) {
            int receives = operation.takesReceive ? perBatch : 0;
            for (int i = 0; i < receives; i++) {
                b.receives().receive(i).sge(far.lkey(), far.address(), bytes).complete();
            }
            SendBatch batch = a.sends();
            for (int i = 0; i < perBatch; i++) {
                operation.post.post(batch.wrId(i), near, far, bytes);
            }
            batch.complete();
            int received = 0;
            for (int sent = 0; sent < perBatch; ) {
                step();
                sent += poll(a.sendCursor);
                received += poll(b.receiveCursor);
            }
            if (received != receives) {
                throw new AssertionError(received + " messages received, " + receives + " sent");
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
