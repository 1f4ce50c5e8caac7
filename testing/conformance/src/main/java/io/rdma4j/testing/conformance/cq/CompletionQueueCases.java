// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.cq;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.CompletionField;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Completion queues: {@code test_cq.CQAPITest}, {@code test_cq.CQTest} and {@code test_cqex} of rdma-core. */
public abstract class CompletionQueueCases extends ConformanceCases {
    protected CompletionQueueCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    private int maxEntries() {
        return (int) Math.min(Integer.MAX_VALUE, context().queryDevice().limit(DeviceLimit.MAX_CQE));
    }

    /** {@code test_create_cq}: sizes. */
    @Test
    @Covers({"CQ-2", "CQ-3"})
    void aQueueHoldsAtLeastWhatWasAskedFor() {
        for (int entries : new int[] {1, 2, 100, maxEntries() / 2, maxEntries()}) {
            try (CompletionQueue cq = context().createCq(entries)) {
                assertThat(cq.capacity()).isGreaterThanOrEqualTo(entries);
                assertThat(cq.poll(1)).isEmpty();
            }
        }
    }

    /** {@code test_create_cq}: each completion vector. */
    @Test
    @Covers("CQ-7")
    void everyCompletionVectorTakesQueuesAndNoOther() {
        int vectors = context().completionVectors();
        assertThat(vectors).isPositive();
        for (int vector = 0; vector < vectors; vector++) {
            context().createCq(CqInitAttributes.of(8, null, vector)).close();
        }
        for (int vector : new int[] {vectors, -1}) {
            CqInitAttributes attributes = CqInitAttributes.of(8, null, vector);
            assertRefused(Errno.EINVAL, () -> context().createCq(attributes), "comp_vector", vector, vectors - 1);
        }
    }

    /** {@code test_create_cq_with_comp_channel}. */
    @Test
    @Covers("CQ-20")
    void aQueueKnowsItsChannelAndContexts() {
        CompletionChannel channel = closing(context().createCompletionChannel());
        CqInitAttributes attributes = CqInitAttributes.of(8, channel, 0).withUserContext("mine");
        CompletionQueue cq = closing(context().createCq(attributes));
        assertThat(cq.channel()).isSameAs(channel);
        assertThat(cq.userContext()).isEqualTo("mine");
        assertThat(cq.context()).isSameAs(context());
    }

    /** {@code test_create_cq_bad_flow}. */
    @Test
    @Covers("RXE-49")
    void sizesOutOfRangeAreRefused() {
        for (int entries : new int[] {0, -1, Integer.MIN_VALUE, maxEntries() + 1}) {
            assertRefused(Errno.EINVAL, () -> context().createCq(entries), "cqe", entries, 1, maxEntries());
        }
    }

    @Test
    void aChannelThatIsClosedOrOfAnotherContextIsRefused() {
        CompletionChannel closed = context().createCompletionChannel();
        closed.close();
        assertRefused(Errno.EINVAL, () -> context().createCq(8, closed));
        CompletionChannel foreign = closing(target().second().createCompletionChannel());
        assertRefused(Errno.EINVAL, () -> context().createCq(8, foreign));
    }

    @Test
    @Covers({"CQ-16", "CQ-1"})
    void aPollTakesNoMoreThanItWasAskedForAndKeepsTheOrder() {
        QpPair pair = connected();
        for (int i = 0; i < 10; i++) {
            pair.b().postReceive(100 + i, 0, 8);
            pair.a().postSend(i, 0, 8);
        }
        CompletionQueue sends = pair.a().sendCq;
        assertThat(sends.poll(0)).isEmpty();
        assertRefused(Errno.EINVAL, () -> sends.poll(-1));
        for (int i = 0; i < 10; i += 2) {
            assertThat(pair.a().awaitSends(2)).extracting(WorkCompletion::wrId).containsExactly((long) i, i + 1L);
        }
        assertThat(pair.b().awaitReceives(10))
                .extracting(WorkCompletion::wrId)
                .containsExactly(100L, 101L, 102L, 103L, 104L, 105L, 106L, 107L, 108L, 109L);
        assertThat(sends.poll(1)).isEmpty();
    }

    /** {@code test_rc_traffic_cq_ex}: the same with the cursor. */
    @Test
    @Covers({"CQ-26", "CQ-27"})
    void theCursorShowsWhatThePollShows() {
        QpPair pair = connected();
        pair.b().postReceive(0x7000_0000_0000_0001L, 0, 100);
        pair.a().postSend(-1, 0, 77);
        pair.a().awaitSends(1);
        awaitUnderCursor(pair.b().receiveCq, wc -> {
            assertThat(wc.wrId()).isEqualTo(0x7000_0000_0000_0001L);
            assertThat(wc.status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(wc.opcode()).isEqualTo(WcOpcode.RECV);
            assertThat(wc.byteLength()).isEqualTo(77);
            assertThat(wc.qpNumber()).isEqualTo(pair.b().qp.qpn());
            assertThat(wc.flags()).isZero();
        });
    }

    /** {@code test_resize_cq}. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 300})
    @Covers({"CQ-8", "RXE-49"})
    void aQueueIsResizedWithCompletionsInIt(int entries) {
        require(Capability.CQ_RESIZE);
        QpPair pair = connected();
        pair.b().postReceive(1, 0, 8);
        pair.a().postSend(2, 0, 8);
        pair.b().awaitReceive();
        pair.a().sendCq.resize(entries);
        assertThat(pair.a().sendCq.capacity()).isGreaterThanOrEqualTo(entries);
        assertThat(pair.a().awaitSend().wrId()).isEqualTo(2);
    }

    /** The end of {@code test_resize_cq}. */
    @Test
    @Covers({"CQ-8", "RXE-49"})
    void aSizeBelowWhatWaitsIsRefusedAndNothingIsLost() {
        require(Capability.CQ_RESIZE);
        QpPair pair = connected();
        CompletionQueue sends = pair.a().sendCq;
        for (int i = 0; i < 20; i++) {
            pair.b().postReceive(i, 0, 8);
            pair.a().postSend(i, 0, 8);
        }
        pair.b().awaitReceives(20);
        await("all completions", () -> sends.peek(100) == 20);
        assertRefused(Errno.EINVAL, () -> sends.resize(1), "cqe", 1, 20);
        assertRefused(Errno.EINVAL, () -> sends.resize(19), "cqe", 19, 20);
        sends.resize(20);
        assertThat(pair.a().awaitSends(20))
                .extracting(WorkCompletion::wrId)
                .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
    }

    @Test
    void aSizeThatNoQueueCanHaveIsRefusedForResizingToo() {
        CompletionQueue cq = closing(context().createCq(8));
        assertRefused(Errno.EINVAL, () -> cq.resize(0), "cqe", 0, 1, maxEntries());
        assertRefused(Errno.EINVAL, () -> cq.resize(maxEntries() + 1), "cqe", maxEntries() + 1, maxEntries());
        if (!target().capabilities().contains(Capability.CQ_RESIZE)) {
            assertRefused(Errno.EOPNOTSUPP, () -> cq.resize(16));
        }
    }

    /** {@code CQEXAPITest.test_create_cq_ex}: each field and each flag separately. */
    @Test
    @Covers({"CQ-4", "RXE-46"})
    void aQueueCarriesTheFieldsAskedForOrIsRefused() {
        for (CompletionField field : CompletionField.values()) {
            assertMadeOrUnsupported(CqInitAttributes.of(8).withFields(Set.of(field)), field);
        }
        for (CqCreateFlag flag : CqCreateFlag.values()) {
            assertMadeOrUnsupported(CqInitAttributes.of(8).withFlags(flag), flag);
        }
        for (CompletionField standard : CompletionField.STANDARD) {
            try (CompletionQueue cq = context().createCq(CqInitAttributes.of(8).withFields(Set.of(standard)))) {
                assertThat(cq.fields()).containsExactly(standard);
            }
        }
    }

    private void assertMadeOrUnsupported(CqInitAttributes attributes, Object asked) {
        try (CompletionQueue cq = context().createCq(attributes)) {
            assertThat(cq.capacity()).as(asked.toString()).isGreaterThanOrEqualTo(8);
        } catch (RdmaException e) {
            assertThat(e.errno()).as(asked.toString()).isEqualTo(Errno.EOPNOTSUPP);
        }
    }

    /** {@code CQEXAPITest.test_create_cq_ex_bad_flow}. */
    @Test
    @Covers("RXE-46")
    void extendedAttributesOutOfRangeAreRefused() {
        CqInitAttributes good = CqInitAttributes.of(8).withFields(Set.of());
        context().createCq(good).close();
        int vectors = context().completionVectors();
        assertRefused(
                Errno.EINVAL,
                () -> context().createCq(CqInitAttributes.of(maxEntries() + 1).withFields(Set.of())));
        assertRefused(
                Errno.EINVAL,
                () -> context().createCq(CqInitAttributes.of(8, null, vectors).withFields(Set.of())));
    }

    /**
     * {@code test_timestamp_free_running_rc_traffic} and {@code ibv_rc_pingpong -t}: later completions have later
     * timestamps.
     */
    @Test
    @Covers({"CQ-4", "CQ-5", "RXE-47"})
    void completionsCarryRisingTimes() {
        // Virtual time does not advance without packets in flight.
        require(Capability.UNATTENDED_PROGRESS);
        CqInitAttributes attributes = CqInitAttributes.of(16).withTimestamps();
        CompletionQueue cq = closing(supported(() -> context().createCq(attributes)));
        QueuePair qp = closing(closing(context().allocatePd())
                .createQp(QpInitAttributes.builder(cq).build()));
        qp.modify(Transitions.init(QpType.RC, target().port(), Set.of()).build());
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            qp.postReceive(ReceiveRequest.of(i));
            if (i == 0) {
                qp.modify(Endpoint.only(QpState.ERR));
            }
            await("a completion", () -> addTimes(cq, times));
            target().progress();
        }
        assertThat(times).hasSize(3).isSorted().doesNotHaveDuplicates().doesNotContain(0L);
    }

    private static boolean addTimes(CompletionQueue cq, List<Long> times) {
        try (CompletionCursor wc = cq.startPoll()) {
            boolean found = wc.next();
            if (found) {
                times.add(wc.timestampNs());
            }
            return found;
        }
    }

    @Test
    @Covers("CQ-10")
    void aLookTakesNothingAway() {
        QpPair pair = connected();
        CompletionQueue receives = pair.b().receiveCq;
        assertThat(supported(() -> receives.peek(10))).isZero();
        for (int i = 0; i < 3; i++) {
            pair.b().postReceive(i, 0, 8);
            pair.a().postSend(i, 0, 8);
        }
        pair.a().awaitSends(3);
        await("three completions", () -> receives.peek(10) == 3);
        assertThat(receives.peek(2)).isEqualTo(2);
        assertThat(receives.peek(0)).isZero();
        assertRefused(Errno.EINVAL, () -> receives.peek(-1));
        assertThat(pair.b().awaitReceives(3)).hasSize(3);
        assertThat(receives.peek(10)).isZero();
    }

    /** Completions from before the overrun can still be polled; no others follow. */
    @Test
    @Covers({"CQ-17", "EVT-7"})
    void aQueueThatIsNotPolledBreaksAndSaysSo() {
        QpPair pair = connected(EndpointSetup.DEFAULT.cqEntries(3), LinkSetup.DEFAULT);
        CompletionQueue broken = pair.a().sendCq;
        int messages = broken.capacity() + 1;
        for (int i = 0; i < messages; i++) {
            pair.b().postReceive(i, 0, 8);
            pair.a().postSend(i, 0, 8);
            if (i < broken.capacity()) {
                pair.b().awaitReceive();
            }
        }
        AsyncEvent event = awaitEvent(pair.a(), EventType.CQ_ERR);
        assertThat(event.completionQueue()).isSameAs(broken);
        assertThat(broken.poll(messages + 1)).hasSize(broken.capacity());
        assertThat(broken.poll(1)).isEmpty();
    }
}
