// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.qp.LoopQp;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.CompletionField;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Completion queues of a device whose clock the test controls; flushed receives are the completions. */
class RxeCqTest {
    private static final int ELEMENTS = 192;

    private final Bench bench = new Bench(Set.of());
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        bench.close();
    }

    private <T extends AutoCloseable> T closing(T object) {
        open.push(object);
        return object;
    }

    private CompletionQueue cq(CqInitAttributes attributes) {
        return closing(bench.context.createCq(attributes));
    }

    /** A queue pair in ERR, whose posted requests complete at once. */
    private QueuePair flushing(CompletionQueue cq) {
        ProtectionDomain pd = closing(bench.context.allocatePd());
        QueuePair qp = closing(pd.createQp(QpInitAttributes.builder(cq).build()));
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(Set.of())
                .build());
        qp.modify(QpAttributes.builder().state(QpState.ERR).build());
        return qp;
    }

    private void complete(QueuePair qp, int from, int to) {
        for (int i = from; i < to; i++) {
            qp.postReceive(ReceiveRequest.of(i));
            bench.run();
        }
    }

    private static List<Long> numbers(CompletionQueue cq) {
        return cq.poll(100).stream().map(WorkCompletion::wrId).toList();
    }

    private static List<Long> range(int from, int to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private List<EventType> events() throws InterruptedException {
        List<EventType> found = new ArrayList<>();
        AsyncEvent event;
        while ((event = bench.context.getAsyncEvent(Duration.ZERO)) != null) {
            bench.context.acknowledgeAsyncEvent(event);
            found.add(event.type());
        }
        return found;
    }

    @Test
    @Covers({"RXE-44", "RXE-50", "CQ-4"})
    void aQueueIsAsLargeAsItsRingAndKnowsWhatItWasMadeOf() {
        CompletionChannel channel = closing(bench.context.createCompletionChannel());
        CompletionQueue cq =
                cq(CqInitAttributes.of(100, channel, 0).withUserContext("mine").withTimestamps());
        assertThat(cq.capacity()).isEqualTo(127);
        assertThat(cq.context()).isSameAs(bench.context);
        assertThat(cq.channel()).isSameAs(channel);
        assertThat(cq.userContext()).isEqualTo("mine");
        assertThat(cq.fields()).contains(CompletionField.COMPLETION_TIMESTAMP, CompletionField.BYTE_LEN);
    }

    @Test
    @Covers({"CQ-5", "RXE-47"})
    void timesAreThoseOfTheDevicesClock() {
        CompletionQueue stamped = cq(CqInitAttributes.of(8).withTimestamps());
        CompletionQueue plain = cq(CqInitAttributes.of(8));
        QueuePair one = flushing(stamped);
        QueuePair other = flushing(plain);
        bench.now = 5_000_017;
        complete(one, 0, 1);
        complete(other, 0, 1);
        try (CompletionCursor of = stamped.startPoll();
                CompletionCursor not = plain.startPoll()) {
            assertThat(of.next() && not.next()).isTrue();
            assertThat(of.timestampNs()).isEqualTo(5_000_017);
            assertThat(not.timestampNs()).isZero();
        }
    }

    /** No other work is due at that time: the port loop wakes up for the event. */
    @Test
    @Covers("CQ-9")
    void theLoopWakesUpForAnEventThatIsHeldBack() throws InterruptedException {
        CompletionChannel channel = closing(bench.context.createCompletionChannel());
        CompletionQueue cq = cq(CqInitAttributes.of(8, channel, 0));
        QueuePair qp = flushing(cq);
        bench.run();
        bench.now += LoopQp.GRACE_NS;
        bench.run();
        assertThat(bench.port.nextDeadlineNs()).as("of the queue pair").isEqualTo(Deadline.NEVER);
        cq.moderate(3, 50);
        long deadlineNs = bench.now + 50_000;
        cq.requestNotification(false);
        bench.now += 10_000;
        complete(qp, 0, 1);
        assertThat(bench.port.nextDeadlineNs()).isEqualTo(deadlineNs);
        bench.now = deadlineNs - 1;
        bench.run();
        assertThat(channel.getEvent(Duration.ZERO)).isNull();
        bench.now = deadlineNs;
        bench.run();
        assertThat(channel.getEvent(Duration.ZERO)).isSameAs(cq);
        assertThat(bench.port.nextDeadlineNs()).isEqualTo(Deadline.NEVER);

        cq.requestNotification(false);
        complete(qp, 1, 4);
        assertThat(channel.getEvent(Duration.ZERO)).as("three completions").isSameAs(cq);
        cq.acknowledgeEvents(2);
    }

    @Test
    void aQueueThatIsClosedIsNotWokenForAnyMore() throws InterruptedException {
        CompletionChannel channel = closing(bench.context.createCompletionChannel());
        CompletionQueue cq = cq(CqInitAttributes.of(8, channel, 0));
        QueuePair qp = flushing(cq);
        cq.moderate(0, 50);
        cq.requestNotification(false);
        complete(qp, 0, 1);
        qp.close();
        cq.close();
        bench.now += 1_000_000;
        bench.run();
        assertThat(channel.getEvent(Duration.ZERO)).isNull();
        assertThat(bench.port.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    @Covers("RXE-47")
    void withoutOverrunCheckCompletionsAreLostAndNothingElse() throws InterruptedException {
        CompletionQueue cq = cq(CqInitAttributes.of(3).withFlags(CqCreateFlag.IGNORE_OVERRUN));
        QueuePair qp = flushing(cq);
        complete(qp, 0, 5);
        assertThat(numbers(cq)).isEqualTo(range(0, 3));
        complete(qp, 5, 6);
        assertThat(numbers(cq)).containsExactly(5L);
        assertThat(events()).isEmpty();
    }

    @Test
    @Covers({"EVT-7", "EVT-8", "CQ-17"})
    void anOverrunBreaksTheQueueAndItsQueuePair() throws InterruptedException {
        CompletionQueue cq = cq(CqInitAttributes.of(3));
        complete(flushing(cq), 0, 6);
        assertThat(events()).containsExactly(EventType.CQ_ERR, EventType.QP_FATAL);
        assertThat(numbers(cq)).isEqualTo(range(0, 3));
    }

    @Test
    @Timeout(
            value = 60,
            threadMode = ThreadMode.SEPARATE_THREAD) // a thread that waits for itself cannot be interrupted
    @Covers("GEN-12")
    void aHandlerThatPollsTheQueueWhoseLoopItRunsInIsRefused() {
        List<RdmaException> refusals = new ArrayList<>();
        List<CompletionQueue> queues = new ArrayList<>();
        bench.context.registerEventHandler(event -> {
            try {
                queues.getFirst().poll(1);
            } catch (RdmaException e) {
                refusals.add(e);
            }
        });
        CompletionQueue cq = cq(CqInitAttributes.of(3));
        queues.add(cq);
        QueuePair qp = flushing(cq);
        try (CompletionCursor cursor = cq.startPoll()) {
            // As in a poll of an empty queue, the thread runs the loop, which calls the handlers.
            complete(qp, 0, 6);
            assertThat(cursor.next()).isTrue();
        }
        assertThat(refusals).hasSize(2).allSatisfy(e -> {
            assertThat(e.errno()).isEqualTo(Errno.EDEADLK);
            assertThat(e).hasMessageContaining("event handler");
        });
        assertThat(numbers(cq)).as("the poll that was interrupted goes on").isEqualTo(range(1, 3));
    }

    @Test
    @Timeout(
            value = 60,
            threadMode = ThreadMode.SEPARATE_THREAD) // a thread that waits for itself cannot be interrupted
    void aThreadThatPollsAQueueCanNeitherPollItOnceMoreNorResizeIt() {
        CompletionQueue cq = cq(CqInitAttributes.of(3));
        try (CompletionCursor _ = cq.startPoll()) {
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> cq.poll(1))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EDEADLK));
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> cq.resize(7))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EDEADLK));
        }
        cq.resize(7);
        assertThat(cq.poll(1)).isEmpty();
    }

    /** A program may access its own queue memory, and may close it; the effects are limited to that program. */
    @Test
    @Covers({"RXE-48", "EVT-8"})
    void aQueueLiesInMemoryOfTheProgram() throws InterruptedException {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(CompletionRing.bytes(7), 64);
        CqInitAttributes attributes = CqInitAttributes.of(7).withBuffer(memory);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> bench.context.createCq(attributes.withBuffer(memory.asSlice(64))))
                .withMessageContaining(memory.byteSize() + " bytes")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        CompletionQueue cq = cq(attributes);
        QueuePair qp = flushing(cq);
        complete(qp, 40, 43);
        assertThat(memory.get(ValueLayout.JAVA_LONG, ELEMENTS + 2 * 64)).isEqualTo(42);
        assertThat(numbers(cq)).isEqualTo(range(40, 43));

        arena.close();
        complete(qp, 43, 45);
        assertThat(events()).containsExactly(EventType.CQ_ERR, EventType.QP_FATAL);
        assertThat(bench.context.queryPort(1).state().code())
                .as("the device goes on")
                .isEqualTo(4);
    }

    @Test
    @Covers({"CQ-8", "RXE-49"})
    void aQueueIsResizedBetweenCompletions() {
        CompletionQueue cq = cq(CqInitAttributes.of(7));
        QueuePair qp = flushing(cq);
        complete(qp, 0, 7);
        cq.resize(9);
        assertThat(cq.capacity()).isEqualTo(15);
        complete(qp, 7, 12);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> cq.resize(7))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(cq.poll(10)).hasSize(10);
        cq.resize(2);
        assertThat(cq.capacity()).isEqualTo(3);
        assertThat(numbers(cq)).isEqualTo(range(10, 12));
    }

    @Test
    @Covers("CQ-15")
    void anEventComesOnceSoManyWait() throws InterruptedException {
        CompletionChannel channel = closing(bench.context.createCompletionChannel());
        CompletionQueue cq = cq(CqInitAttributes.of(7, channel, 0));
        QueuePair qp = flushing(cq);
        cq.requestNotificationAt(4);
        complete(qp, 0, 3);
        assertThat(cq.peek(100)).isEqualTo(3);
        assertThat(channel.getEvent(Duration.ZERO)).isNull();
        complete(qp, 3, 4);
        Objects.requireNonNull(channel.getEvent(Duration.ZERO)).acknowledgeEvents(1);
        assertThat(numbers(cq)).hasSize(4);
    }
}
