// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Links between queue pairs of one device: threads that post deliver their messages without the port loop. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class QpLinkTest {
    private static final int BYTES = 64;
    private static final int TO = 4096;
    private static final int MANY = 3000;
    private static final int DEPTH = 8;

    private final RxePort port = RxeTargets.loopbackPort();
    private final ConformanceTarget target = RxeTargets.loopback(() -> port);
    private final Endpoint a = endpoint(EndpointSetup.OPEN);
    private final Endpoint b = endpoint(EndpointSetup.OPEN);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private Endpoint endpoint(EndpointSetup setup) {
        return new Endpoint(target, target.first(), setup);
    }

    private static void connect(Endpoint one, Endpoint other) {
        one.connectTo(other, LinkSetup.DEFAULT);
        other.connectTo(one, LinkSetup.DEFAULT);
    }

    @BeforeEach
    void connect() {
        connect(a, b);
        message(a, b);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        a.close();
        b.close();
        target.close();
    }

    private static void message(Endpoint from, Endpoint to) {
        to.postReceive(1, TO, BYTES);
        from.postSend(2, 0, BYTES);
        from.awaitSend();
        to.awaitReceive();
    }

    /** Runs a task of another thread while no thread can run the port loop. */
    private void withoutLoop(Runnable task) {
        port.netLoop().exclusively(() -> {
            try {
                threads.submit(task).get(20, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError("the task needs the loop", e);
            }
        });
    }

    private SendBatch write(int offset) {
        return a.qp.startSend()
                .wrId(3)
                .signaled()
                .rdmaWrite(b.mr.rkey(), b.remote(TO))
                .sge(a.mr.lkey(), a.memory.address() + offset, BYTES);
    }

    @Test
    void theThreadThatPostsDelivers() {
        assertLinked();
    }

    private void assertLinked() {
        b.postReceive(7, TO, BYTES);
        a.memory.fill((byte) 5);
        long received = port.counters().receivedPackets;
        withoutLoop(() -> {
            a.postSend(8, 0, BYTES);
            write(100).complete();
            assertThat(a.sendCq.peek(9)).isEqualTo(2);
            assertThat(b.receiveCq.peek(9)).isEqualTo(1);
            assertThat(b.memory.asSlice(TO, BYTES).toArray(ValueLayout.JAVA_BYTE))
                    .containsOnly(5);
        });
        assertThat(a.awaitSends(2)).extracting(WorkCompletion::wrId).containsExactly(8L, 3L);
        assertThat(b.awaitReceive().wrId()).isEqualTo(7);
        assertThat(port.counters().receivedPackets - received).isEqualTo(2);
    }

    @Test
    void bothDirectionsHaveTheLink() {
        message(b, a);
        a.postReceive(7, TO, BYTES);
        withoutLoop(() -> {
            b.postSend(8, 0, BYTES);
            assertThat(a.receiveCq.peek(9)).isEqualTo(1);
        });
    }

    @Test
    void aMessageWithoutReceiveWaitsForOneAndTheNextMessageTakesTheLinkAgain() {
        a.postSend(8, 0, BYTES);
        assertThat(b.receiveCq.peek(1)).isZero();
        b.postReceive(7, TO, BYTES);
        a.awaitSend();
        b.awaitReceive();
        assertThat(port.counters().sentRnrNaks).isPositive();
        assertLinked();
    }

    @Test
    void anOrdinaryRequestBehindAnUnusualOneKeepsItsTurn() {
        b.postReceive(7, TO, BYTES);
        long own = a.memory.address();
        a.qp.startSend()
                .wrId(1)
                .signaled()
                .rdmaRead(b.mr.rkey(), b.remote(0))
                .sge(a.mr.lkey(), own + 9000, BYTES)
                .wrId(2)
                .signaled()
                .send()
                .sge(a.mr.lkey(), own, BYTES)
                .complete();
        assertThat(a.awaitSends(2)).extracting(WorkCompletion::wrId).containsExactly(1L, 2L);
        b.awaitReceive();
        assertLinked();
    }

    @Test
    void aModifiedQueuePairGetsAnotherLink() {
        b.qp.modify(QpAttributes.builder().minRnrTimer(3).build());
        message(a, b);
        assertLinked();
        for (Endpoint end : List.of(a, b)) {
            end.qp.modify(Endpoint.only(QpState.RESET));
        }
        connect(a, b);
        message(a, b);
        assertLinked();
    }

    @Test
    void aThreadThatSleepsIsWoken() throws Exception {
        try (CompletionChannel channel = target.first().createCompletionChannel();
                Endpoint sleeper = endpoint(EndpointSetup.OPEN.channel(channel));
                Endpoint sender = endpoint(EndpointSetup.OPEN)) {
            connect(sender, sleeper);
            message(sender, sleeper);
            Future<Integer> woken = threads.submit(() -> receiveAsleep(channel, sleeper));
            for (int i = 0; i < MANY / 10; i++) {
                sleeper.postReceive(i, TO, BYTES);
                sender.postSend(i, 0, BYTES);
                sender.awaitSend();
            }
            assertThat(woken.get()).isEqualTo(MANY / 10);
        }
    }

    private static int receiveAsleep(CompletionChannel channel, Endpoint sleeper) throws InterruptedException {
        int received = 0;
        sleeper.receiveCq.requestNotification(false);
        while (received < MANY / 10) {
            int found = sleeper.receiveCq.poll(16).size();
            received += found;
            if (found == 0) {
                CompletionQueue event = channel.getEvent();
                event.acknowledgeEvents(1);
                event.requestNotification(false);
            }
        }
        return received;
    }

    /** Two completion handlers answer each other: a handler never runs within a handler. */
    @Test
    void handlersMayAnswer() {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger depth = new AtomicInteger();
        QueuePair[] answerer = new QueuePair[1];
        try (CompletionQueue events = target.first()
                        .createCq(CqInitAttributes.of(MANY).withCompletionHandler(cq -> {
                            assertThat(depth.incrementAndGet()).isEqualTo(1);
                            answer(cq, answerer[0], calls);
                            depth.decrementAndGet();
                        }));
                CompletionQueue sends = target.first().createCq(MANY);
                QueuePair one = a.pd.createQp(QpInitAttributes.builder(sends, events)
                        .capabilities(EndpointSetup.OPEN.capabilities())
                        .build())) {
            QpAddress self = QpAddress.of(one, target.port(), target.gidIndex());
            one.connect(self, self);
            answerer[0] = one;
            for (int i = 0; i < DEPTH; i++) {
                receive(one);
            }
            events.requestNotification(false);
            one.startSend().send().complete();
            target.await("answers of handlers", () -> calls.get() >= MANY / 10);
            assertThat(port.services().common().output().sentPackets()).isZero();
        }
    }

    private static void receive(QueuePair qp) {
        qp.startReceive().receive(1).complete();
    }

    private static void answer(CompletionQueue cq, QueuePair from, AtomicInteger calls) {
        int found = 0;
        cq.requestNotification(false);
        try (CompletionCursor cursor = cq.startPoll()) {
            while (cursor.next()) {
                found++;
            }
        }
        for (int i = 0; i < found && calls.incrementAndGet() < MANY / 10; i++) {
            receive(from);
            from.startSend().send().complete();
        }
    }

    /** Once the deregistration returns, no thread writes to the region. */
    @Test
    void aRegionThatWasDeregisteredIsNotWrittenAnyMore() throws Exception {
        AtomicBoolean writes = new AtomicBoolean();
        Future<WcStatus> end = threads.submit(() -> {
            WorkCompletion last;
            int i = 0;
            do {
                a.memory.set(ValueLayout.JAVA_INT, 0, ++i);
                write(0).complete();
                last = a.awaitSends(1).getFirst();
                writes.set(true);
            } while (last.status() == WcStatus.SUCCESS);
            return last.status();
        });
        while (!writes.get()) {
            Thread.onSpinWait();
        }
        b.mr.close();
        MemorySegment copy = MemorySegment.ofArray(b.memory.asSlice(TO, BYTES).toArray(ValueLayout.JAVA_BYTE));
        assertThat(end.get()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(copy.mismatch(b.memory.asSlice(TO, BYTES))).isEqualTo(-1);
    }

    @Test
    void aSourceThatWasDeregisteredEndsTheConnection() throws Exception {
        Future<WcStatus> end = threads.submit(() -> {
            WorkCompletion last;
            do {
                write(0).complete();
                last = a.awaitSends(1).getFirst();
            } while (last.status() == WcStatus.SUCCESS);
            return last.status();
        });
        a.mr.close();
        assertThat(end.get()).isEqualTo(WcStatus.LOC_PROT_ERR);
    }

    /** Each request ends once: with success, or flushed. */
    @Test
    void aQueuePairThatGoesToErrWhileOthersPost() throws Exception {
        AtomicInteger posted = new AtomicInteger();
        Future<?> poster = threads.submit(() -> {
            while (a.qp.state() == QpState.RTS && posted.get() < MANY) {
                if (tryPost(posted.get())) {
                    posted.incrementAndGet();
                }
            }
        });
        List<WorkCompletion> done = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            b.postReceive(i, TO, BYTES);
            done.addAll(a.awaitSends(1));
        }
        a.qp.modify(Endpoint.only(QpState.ERR));
        poster.get();
        done.addAll(a.awaitSends(posted.get() - done.size()));
        assertThat(done)
                .extracting(WorkCompletion::wrId)
                .doesNotHaveDuplicates()
                .hasSize(posted.get());
        assertThat(done.subList(0, 10)).allMatch(wc -> wc.status() == WcStatus.SUCCESS);
        assertThat(a.sendCq.poll(1)).isEmpty();
    }

    private boolean tryPost(int wrId) {
        try {
            a.postSend(wrId, 0, BYTES);
            return true;
        } catch (RdmaException full) {
            assertThat(full.errno()).isIn(Errno.ENOMEM, Errno.EINVAL);
            return false;
        }
    }

    /** Both ends send at once, each from a thread of its own. */
    @Test
    void twoThreadsSendToEachOther() throws Exception {
        Future<?> other = threads.submit(() -> exchange(b));
        exchange(a);
        other.get();
    }

    private static void exchange(Endpoint end) {
        for (int i = 0; i < DEPTH; i++) {
            end.postReceive(i, TO, BYTES);
        }
        int sent = 0;
        int sends = 0;
        int receives = 0;
        while (sends < MANY || receives < MANY) {
            if (sent < MANY && sent - sends < DEPTH) {
                end.postSend(sent++, 0, BYTES);
            }
            for (WorkCompletion done : end.sendCq.poll(4)) {
                assertThat(done.status()).isEqualTo(WcStatus.SUCCESS);
                assertThat(done.wrId()).isEqualTo(sends++);
            }
            for (WorkCompletion done : end.receiveCq.poll(4)) {
                assertThat(done.status()).isEqualTo(WcStatus.SUCCESS);
                receives++;
                end.postReceive(receives + DEPTH, TO, BYTES);
            }
        }
    }

    @Test
    void aDestroyedPeerIsNotDeliveredTo() throws Exception {
        Future<WcStatus> end = threads.submit(() -> {
            WorkCompletion last;
            do {
                write(0).complete();
                last = a.awaitSends(1).getFirst();
            } while (last.status() == WcStatus.SUCCESS);
            return last.status();
        });
        b.qp.close();
        assertThat(end.get()).isEqualTo(WcStatus.RETRY_EXC_ERR);
    }
}
