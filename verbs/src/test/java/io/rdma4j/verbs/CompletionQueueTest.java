// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.wr.CompletionField;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class CompletionQueueTest {
    private final Fixture fixture = new Fixture();
    private final Context context = fixture.context;

    @Test
    @Covers("CQ-3")
    void theNumberOfEntriesIsAMinimumWithinTheDevicesLimit() {
        assertThat(context.createCq(1).capacity()).isGreaterThanOrEqualTo(1);
        assertThat(context.createCq(1023).capacity()).isGreaterThanOrEqualTo(1023);
        assertRefused(Errno.EINVAL, "cqe 0 is not in 1..1023", () -> context.createCq(0));
        assertRefused(Errno.EINVAL, "cqe -1", () -> context.createCq(-1));
        assertRefused(Errno.EINVAL, "cqe 1024", () -> context.createCq(1024));
    }

    @Test
    @Covers("CQ-7")
    void aVectorMustExist() {
        context.createCq(1, null, 1);
        assertThat(context.completionVectors()).isEqualTo(2);
        assertRefused(Errno.EINVAL, "comp_vector 2 is not in 0..1", () -> context.createCq(1, null, 2));
        assertRefused(Errno.EINVAL, "comp_vector -1", () -> context.createCq(1, null, -1));
    }

    @Test
    @Covers({"CQ-1", "CQ-16", "CQ-26", "CQ-27"})
    void pollingTakesTheOldestCompletionsUpToTheNumberAskedFor() {
        CompletionQueue sends = context.createCq(16);
        CompletionQueue receives = context.createCq(16);
        QueuePair sender = fixture.qp(sends);
        QueuePair receiver = fixture.qp(receives);
        Fixture.connect(sender, receiver);
        Fixture.connect(receiver, sender);
        MemoryRegion memory = fixture.memory(64);
        receiver.postReceive(
                ReceiveRequest.of(1, memory.sge(0, 16)),
                ReceiveRequest.of(2, memory.sge(16, 16)),
                ReceiveRequest.of(3, memory.sge(32, 16)));
        sender.postSend(
                SendRequest.sendWithImmediate(0xCAFE)
                        .wrId(11)
                        .signaled()
                        .sge(memory.sge(48, 5))
                        .build(),
                SendRequest.send().wrId(12).build(),
                SendRequest.send().wrId(13).signaled().build());

        assertThat(sends.poll(10)).extracting(WorkCompletion::wrId).containsExactly(11L, 13L);
        assertThat(receives.poll(2)).extracting(WorkCompletion::wrId).containsExactly(1L, 2L);
        assertThat(receives.poll(2)).extracting(WorkCompletion::wrId).containsExactly(3L);
        assertThat(receives.poll(2)).isEmpty();

        receiver.postReceive(ReceiveRequest.of(4, memory.sge(0, 16)));
        sender.postSend(
                SendRequest.sendWithImmediate(0xCAFE).sge(memory.sge(48, 5)).build());
        WorkCompletion completion = receives.poll(1).get(0);
        assertThat(completion.opcode()).isEqualTo(WcOpcode.RECV);
        assertThat(completion.byteLength()).isEqualTo(5);
        assertThat(completion.flags()).containsExactly(WcFlag.WITH_IMM);
        assertThat(completion.immediate()).isEqualTo(0xCAFE);
        assertThat(completion.qpNumber()).isEqualTo(receiver.qpn());
    }

    /** Another thread polls and has found the queue empty at least once. */
    private static FutureTask<List<WorkCompletion>> startPolling(CompletionQueue cq) {
        FutureTask<List<WorkCompletion>> polling = new FutureTask<>(() -> cq.poll(1, ChronoUnit.FOREVER.getDuration()));
        Thread poller = Thread.startVirtualThread(polling);
        while (poller.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return polling;
    }

    @Test
    void whoPollsForATimeGetsWhatCompletesMeanwhile() throws Exception {
        CompletionQueue cq = context.createCq(16);
        QueuePair qp = fixture.qp(cq);
        Fixture.connect(qp, qp);
        FutureTask<List<WorkCompletion>> polling = startPolling(cq);
        qp.postReceive(ReceiveRequest.of(5));
        qp.postSend(SendRequest.send().build());

        assertThat(polling.get()).extracting(WorkCompletion::wrId).containsExactly(5L);
    }

    @Test
    void whoPollsForATimeIsToldThatTheQueueIsClosed() {
        CompletionQueue cq = context.createCq(16);
        FutureTask<List<WorkCompletion>> polling = startPolling(cq);
        cq.close();

        assertThatThrownBy(polling::get).hasMessageContaining("is closed");
    }

    @Test
    void timeIsUpWithoutACompletion() {
        CompletionQueue cq = context.createCq(1);

        assertThat(cq.poll(1, Duration.ZERO)).isEmpty();
        assertThat(cq.poll(1, Duration.ofMillis(1))).isEmpty();
        assertRefused(Errno.EINVAL, "num_entries 0 is not in 1..", () -> cq.poll(0, Duration.ZERO));
    }

    @Test
    void pollingForNothingTakesNothing() {
        CompletionQueue cq = context.createCq(1);

        assertThat(cq.poll(0)).isEmpty();
        assertRefused(Errno.EINVAL, "num_entries -1", () -> cq.poll(-1));
    }

    @Test
    void aVerbThatTheProviderLacksIsNotSupported() {
        CompletionQueue cq = context.createCq(4);

        assertRefused(Errno.EOPNOTSUPP, "does not resize", () -> cq.resize(8));
        assertRefused(Errno.EINVAL, "cqe 0", () -> cq.resize(0));
        assertRefused(Errno.EOPNOTSUPP, "does not moderate", () -> cq.moderate(1, 1));
        assertRefused(Errno.EOPNOTSUPP, "does not count", () -> cq.peek(1));
        assertRefused(Errno.EOPNOTSUPP, "lacks the capability N_NOTIFY_CQ", () -> cq.requestNotificationAt(1));
    }

    @Test
    @Covers({"CQ-4", "RXE-46"})
    void whatTheDeviceCannotDoForACompletionQueueIsRefused() {
        CqInitAttributes plain = CqInitAttributes.of(4);

        assertThat(context.createCq(plain).fields()).isEqualTo(CompletionField.STANDARD);
        assertRefused(
                Errno.EOPNOTSUPP,
                "completion field COMPLETION_TIMESTAMP",
                () -> context.createCq(plain.withTimestamps()));
        assertRefused(
                Errno.EOPNOTSUPP,
                "completion queue flag IGNORE_OVERRUN",
                () -> context.createCq(plain.withFlags(CqCreateFlag.IGNORE_OVERRUN)));
    }

    @Test
    @Covers("RXE-48")
    void memoryThatTheDeviceCannotUseForACompletionQueueIsRefused() {
        CqInitAttributes plain = CqInitAttributes.of(4);
        MemorySegment heap = MemorySegment.ofArray(new byte[1 << 16]);
        assertRefused(Errno.EINVAL, "heap memory", () -> context.createCq(plain.withBuffer(heap)));
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment own = confined.allocate(1 << 16, 64);
            assertRefused(Errno.EINVAL, "confined to one thread", () -> context.createCq(plain.withBuffer(own)));
        }
        MemorySegment good = Arena.ofAuto().allocate(1 << 16, 64);
        assertRefused(
                Errno.EINVAL, "allocates completion queues itself", () -> context.createCq(plain.withBuffer(good)));
    }
}
