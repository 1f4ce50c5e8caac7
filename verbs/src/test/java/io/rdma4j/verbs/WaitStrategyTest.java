// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Behaviour of threads that wait for a completion. */
@Timeout(60)
class WaitStrategyTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(16);

    private FutureTask<List<WorkCompletion>> waiting(WaitStrategy strategy) {
        return new FutureTask<>(() -> cq.poll(1, FOREVER, strategy));
    }

    private void awaitSleepers(int count) {
        while (fixture.device.sleepers() < count) {
            Thread.onSpinWait();
        }
    }

    private QueuePair connected() {
        QueuePair qp = fixture.qp(cq);
        Fixture.connect(qp, qp);
        return qp;
    }

    @ParameterizedTest
    @EnumSource(WaitStrategy.class)
    void whoWaitsGetsWhatCompletesMeanwhile(WaitStrategy strategy) throws Exception {
        QueuePair qp = connected();
        for (Thread.Builder kind : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
            FutureTask<List<WorkCompletion>> waiting = waiting(strategy);
            kind.start(waiting);
            qp.postReceive(ReceiveRequest.of(5));
            qp.postSend(SendRequest.send().build());
            assertThat(waiting.get()).extracting(WorkCompletion::wrId).containsExactly(5L);
        }
    }

    @ParameterizedTest
    @EnumSource(WaitStrategy.class)
    void whoWaitsIsToldThatTheQueueIsClosed(WaitStrategy strategy) {
        FutureTask<List<WorkCompletion>> waiting = waiting(strategy);
        Thread.ofPlatform().start(waiting);
        if (strategy == WaitStrategy.PARK) {
            awaitSleepers(1);
        }
        cq.close();
        assertThatThrownBy(waiting::get).hasMessageContaining("is closed");
    }

    @ParameterizedTest
    @EnumSource(WaitStrategy.class)
    void timeIsUpWithoutACompletion(WaitStrategy strategy) throws Exception {
        assertThat(cq.poll(1, Duration.ZERO, strategy)).isEmpty();
        assertThat(cq.poll(1, Duration.ofMillis(1), strategy)).isEmpty();
        assertRefused(Errno.EINVAL, "num_entries 0 is not in 1..", () -> poll(0, strategy));
    }

    private void poll(int max, WaitStrategy strategy) {
        try {
            cq.poll(max, Duration.ofNanos(1), strategy);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whoParksUsesNoProcessor() throws Exception {
        FutureTask<List<WorkCompletion>> waiting = waiting(WaitStrategy.PARK);
        Thread thread = Thread.ofPlatform().start(waiting);
        awaitSleepers(1);
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        long before = THREADS.getThreadCpuTime(thread.threadId());
        CompletionQueue other = fixture.context.createCq(1);
        assertThat(other.poll(1, Duration.ofMillis(100))).isEmpty();
        assertThat(THREADS.getThreadCpuTime(thread.threadId()) - before).isLessThan(10_000_000);
        assertThat(fixture.device.sleepers()).as("it went to sleep once").isEqualTo(1);
        cq.close();
        assertThatThrownBy(waiting::get).hasMessageContaining("is closed");
    }

    @Test
    void whoSpinsNeverSleeps() throws Exception {
        FutureTask<List<WorkCompletion>> waiting = waiting(WaitStrategy.SPIN);
        Thread thread = Thread.ofPlatform().start(waiting);
        while (THREADS.getThreadCpuTime(thread.threadId()) < 50_000_000) {
            assertThat(thread.getState()).isIn(Thread.State.RUNNABLE, Thread.State.NEW);
        }
        cq.close();
        assertThatThrownBy(waiting::get).hasMessageContaining("is closed");
        assertThat(fixture.device.sleepers()).isZero();
    }

    @Test
    void oneEventIsForAllThatAreParked() throws Exception {
        QueuePair qp = connected();
        List<FutureTask<List<WorkCompletion>>> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FutureTask<List<WorkCompletion>> waiting = waiting(WaitStrategy.PARK);
            Thread.ofPlatform().start(waiting);
            all.add(waiting);
            awaitSleepers(i + 1);
        }
        qp.postReceive(ReceiveRequest.of(1), ReceiveRequest.of(2), ReceiveRequest.of(3));
        SendRequest send = SendRequest.send().build();
        qp.postSend(send, send, send);
        List<Long> taken = new ArrayList<>();
        for (FutureTask<List<WorkCompletion>> waiting : all) {
            taken.add(waiting.get().getFirst().wrId());
        }
        assertThat(taken).containsExactlyInAnyOrder(1L, 2L, 3L);
    }

    @Test
    void aQueueWithAChannelHasItsSleepersThere() throws Exception {
        try (CompletionChannel channel = fixture.context.createCompletionChannel();
                CompletionQueue queue = fixture.context.createCq(1, channel, 0)) {
            assertThat(queue.poll(1, Duration.ZERO, WaitStrategy.YIELD)).isEmpty();
            assertThatThrownBy(() -> queue.poll(1, Duration.ZERO, WaitStrategy.PARK))
                    .hasMessageContaining("EINVAL")
                    .hasMessageContaining("has a completion channel");
        }
    }

    @Test
    void whoIsParkedCanBeInterrupted() throws Exception {
        FutureTask<List<WorkCompletion>> waiting = waiting(WaitStrategy.PARK);
        Thread thread = Thread.ofPlatform().start(waiting);
        awaitSleepers(1);
        thread.interrupt();
        assertThatThrownBy(waiting::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        whoWaitsGetsWhatCompletesMeanwhile(WaitStrategy.PARK);
    }

    /** More parked threads than carriers: a pinned carrier would appear in the recording. */
    @Test
    void virtualThreadsThatAreParkedHoldNoCarrier(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("pinned.jfr");
        int count = 4 * Runtime.getRuntime().availableProcessors();
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold();
            recording.start();
            List<FutureTask<List<WorkCompletion>>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                FutureTask<List<WorkCompletion>> waiting = waiting(WaitStrategy.PARK);
                Thread.ofVirtual().start(waiting);
                all.add(waiting);
            }
            awaitSleepers(count);
            cq.close();
            for (FutureTask<List<WorkCompletion>> waiting : all) {
                assertThatThrownBy(waiting::get).hasMessageContaining("is closed");
            }
            recording.dump(file);
        }
        List<RecordedEvent> pinned = RecordingFile.readAllEvents(file).stream()
                .filter(event -> String.valueOf(event.getStackTrace()).contains("io.rdma4j"))
                .toList();
        assertThat(pinned).isEmpty();
    }
}
