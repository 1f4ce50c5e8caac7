// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Determines which thread runs the loop, and that no work is lost. The loop thread of these devices wakes up only when
 * another thread wakes it.
 */
class PortLoopTest {
    private static final int ROUNDS = 120;
    private static final int THREADS = 4;

    @Test
    @Covers("RXE-87")
    void whatIsPostedIsOnItsWayWhenThePostReturns() {
        try (Bench bench = new Bench(Set.of(), ProgressMode.AUTOMATIC)) {
            Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
            endpoint.postSend(1, 0, 2000);
            assertThat(bench.link.sent).hasSize(2);
        }
    }

    /**
     * A doorbell that is set while another thread leaves the loop must not be lost: after each round all threads have
     * sent.
     */
    @Test
    @Covers("RXE-87")
    void noDoorbellIsLostWhenManyPost() throws Exception {
        try (Bench bench = new Bench(Set.of(), ProgressMode.AUTOMATIC)) {
            CyclicBarrier barrier = new CyclicBarrier(THREADS + 1);
            List<FutureTask<Boolean>> posters = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Endpoint endpoint = bench.connected(Bench.PEER_V4, 0);
                FutureTask<Boolean> poster = new FutureTask<>(() -> post(endpoint, barrier));
                posters.add(poster);
                Thread.ofPlatform().daemon().start(poster);
            }
            Endpoint asking = bench.connected(Bench.PEER_V4, 0);
            long before = bench.port.counters().sentPackets;
            for (int round = 1; round <= ROUNDS; round++) {
                barrier.await(20, TimeUnit.SECONDS);
                // The control path also owns the loop sometimes.
                asking.qp.query();
                barrier.await(20, TimeUnit.SECONDS);
                assertThat(bench.port.counters().sentPackets - before).isEqualTo((long) round * THREADS);
            }
            for (FutureTask<Boolean> poster : posters) {
                assertThat(poster.get(20, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private static boolean post(Endpoint endpoint, CyclicBarrier barrier) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            barrier.await(20, TimeUnit.SECONDS);
            endpoint.qp.startSend().send().complete();
            barrier.await(20, TimeUnit.SECONDS);
        }
        return true;
    }

    /** Only one thread runs the loop. A posting thread that finds the loop taken sets a doorbell and returns. */
    @Test
    @Covers({"RXE-90", "RXE-91"})
    void whatIsPostedWhileAnotherThreadWorksIsSentByThatThread() throws Exception {
        try (Bench bench = new Bench(Set.of(), ProgressMode.AUTOMATIC)) {
            Endpoint first = bench.connected(Bench.PEER_V4, 14);
            Endpoint second = bench.connected(Bench.PEER_V4, 14);
            CountDownLatch atWork = new CountDownLatch(1);
            CountDownLatch posted = new CountDownLatch(1);
            List<Thread> senders = new CopyOnWriteArrayList<>();
            bench.link.onTransmit = () -> {
                senders.add(Thread.currentThread());
                atWork.countDown();
                await(posted);
            };
            FutureTask<Boolean> work = new FutureTask<>(() -> first.postSend(1, 0, 8), true);
            Thread worker = Thread.ofPlatform().daemon().start(work);
            await(atWork);
            second.postSend(1, 0, 8);
            assertThat(bench.link.sent).isEmpty();
            posted.countDown();
            assertThat(work.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(bench.link.sent).hasSize(2);
            assertThat(senders).containsExactly(worker, worker);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void inManualModeNothingMovesByItself() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
            endpoint.postSend(1, 0, 8);
            endpoint.sendCq.poll(1);
            assertThat(bench.link.sent).isEmpty();
            assertThat(bench.port.progress(bench.now)).isTrue();
            assertThat(bench.link.sent).hasSize(1);
            assertThat(bench.port.progress(bench.now)).isFalse();
        }
    }

    @Test
    void theNextDeadlineIsTold() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint endpoint = bench.connected(Bench.PEER_V4, 10);
            bench.run();
            assertThat(bench.port.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
            endpoint.postSend(1, 0, 8);
            bench.run();
            assertThat(bench.port.nextDeadlineNs()).isEqualTo(bench.now + (4096L << 10));
            bench.now += 4096L << 10;
            bench.run();
            assertThat(bench.link.sent).hasSize(2);
            assertThat(bench.port.counters().retransmittedPackets).isEqualTo(1);
        }
    }

    /** A busy link stops all queue pairs. When it accepts packets again, no packet is lost or out of order. */
    @Test
    void aBusyLinkHoldsPacketsBack() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint first = bench.connected(Bench.PEER_V4, 14);
            Endpoint second = bench.connected(Bench.PEER_V4, 14);
            bench.link.busyAfter(3);
            first.postSend(1, 0, 10_000);
            second.postSend(1, 0, 2000);
            bench.run();
            assertThat(bench.link.sent).hasSize(3);
            bench.link.busyAfter(Integer.MAX_VALUE);
            bench.run();
            assertThat(bench.link.sent).hasSize(12);
            assertThat(bench.port.counters().retransmittedPackets).isZero();
        }
    }

    /** Two busy queue pairs transmit in turn. */
    @Test
    @Covers("RXE-92")
    void queuePairsTakeTurns() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint first = bench.connected(Bench.PEER_V4, 14);
            Endpoint second = bench.connected(Bench.PEER_V4, 14);
            first.postSend(1, 0, 100 * 1024);
            second.postSend(1, 0, 100 * 1024);
            bench.port.progress(bench.now);
            assertThat(bench.link.sent).hasSize(128);
            bench.port.progress(bench.now);
            assertThat(bench.link.sent).hasSize(200);
        }
    }

    @Test
    void aQueuePairThatIsClosedIsForgotten() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint closed = bench.connected(Bench.PEER_V4, 10);
            Endpoint other = bench.connected(Bench.PEER_V4, 10);
            closed.postSend(1, 0, 8);
            other.postSend(1, 0, 8);
            closed.qp.close();
            bench.run();
            bench.now += 4096L << 11;
            bench.run();
            assertThat(bench.link.sent).hasSize(2);
        }
    }

    /** No queue pair is ready then, but the port still has a packet to send. */
    @Test
    void whatTheLinkHeldBackGoesOutAfterItsQueuePairIsClosed() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint closed = bench.connected(Bench.PEER_V4, 14);
            bench.link.busyAfter(0);
            closed.postSend(1, 0, 8);
            bench.run();
            closed.qp.close();
            bench.link.busyAfter(Integer.MAX_VALUE);
            bench.run();
            assertThat(bench.link.sent).hasSize(1);
        }
    }
}
