// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads use the same queues, as the documentation permits. */
class ConcurrentUseTest {
    private static final int POSTERS = 3;
    private static final int POLLERS = 2;
    private static final int EACH = 1000;
    private static final int ALL = POSTERS * EACH;
    private static final int DEPTH = 63;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

    private final List<Future<?>> running = new ArrayList<>();
    private final AtomicInteger strangers = new AtomicInteger();

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @Covers("UVERBS-56")
    void whatManyThreadsPostManyThreadsPollAndNothingIsLostOrComesTwice() throws Exception {
        EndpointSetup setup = EndpointSetup.DEFAULT
                .capabilities(new QpCapabilities(DEPTH, DEPTH, 1, 1, 0))
                .cqEntries(ALL + DEPTH);
        Set<Long> sent = ConcurrentHashMap.newKeySet();
        Set<Long> received = ConcurrentHashMap.newKeySet();
        try (ConformanceTarget target = RxeTargets.loopback();
                Endpoint a = new Endpoint(target, target.first(), setup);
                Endpoint b = new Endpoint(target, target.second(), setup);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            AtomicInteger lastReceive = new AtomicInteger();
            for (int i = 0; i < DEPTH; i++) {
                b.postReceive(lastReceive.incrementAndGet(), 0, 64);
            }
            for (int poller = 0; poller < POLLERS; poller++) {
                running.add(threads.submit(() -> poll(a.sendCq, sent, _ -> {})));
                running.add(threads.submit(
                        () -> poll(b.receiveCq, received, _ -> b.postReceive(lastReceive.incrementAndGet(), 0, 64))));
            }
            for (int poster = 0; poster < POSTERS; poster++) {
                long first = (long) poster * EACH;
                running.add(threads.submit(() -> post(a, first)));
            }
            for (Future<?> thread : running) {
                thread.get();
            }
        }
        assertThat(strangers).hasValue(0);
        assertThat(sent).hasSize(ALL);
        assertThat(received).hasSize(ALL);
    }

    private static void post(Endpoint from, long first) {
        long endNs = System.nanoTime() + TIMEOUT_NS;
        for (long wrId = first; wrId < first + EACH; wrId++) {
            while (!tryPost(from, wrId) && System.nanoTime() < endNs) {
                Thread.onSpinWait();
            }
        }
    }

    private static boolean tryPost(Endpoint from, long wrId) {
        try {
            from.postSend(wrId, 0, 64);
            return true;
        } catch (RdmaException e) {
            if (e.errno() != Errno.ENOMEM) {
                throw e;
            }
            return false;
        }
    }

    private void poll(CompletionQueue cq, Set<Long> seen, Consumer<WorkCompletion> then) {
        long endNs = System.nanoTime() + TIMEOUT_NS;
        while (seen.size() < ALL && System.nanoTime() < endNs) {
            for (WorkCompletion completion : cq.poll(8)) {
                if (completion.status() != WcStatus.SUCCESS || !seen.add(completion.wrId())) {
                    strangers.incrementAndGet();
                }
                then.accept(completion);
            }
        }
    }
}
