package io.rdma4j.testing.conformance;

import static io.rdma4j.testing.conformance.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.DeviceLimit;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.util.function.Supplier;
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
    @Covers({"CQ-6", "CQ-7"})
    void everyCompletionVectorTakesQueuesAndNoOther() {
        int vectors = context().completionVectors();
        assertThat(vectors).isPositive();
        for (int vector = 0; vector < vectors; vector++) {
            context().createCq(CqInitAttributes.of(8, null, vector)).close();
        }
        assertRefused(Errno.EINVAL, () -> context().createCq(CqInitAttributes.of(8, null, vectors)));
        assertRefused(Errno.EINVAL, () -> context().createCq(CqInitAttributes.of(8, null, -1)));
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
    void sizesOutOfRangeAreRefused() {
        for (int entries : new int[] {0, -1, Integer.MIN_VALUE, maxEntries() + 1}) {
            assertRefused(Errno.EINVAL, () -> context().createCq(entries));
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
    @Covers("CQ-16")
    void aPollTakesNoMoreThanItWasAskedForAndKeepsTheOrder() {
        Pair pair = connected();
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

    /** {@code test_cqex}: the same by the cursor. */
    @Test
    @Covers({"CQ-26", "CQ-27"})
    void theCursorShowsWhatThePollShows() {
        Pair pair = connected();
        pair.b().postReceive(0x7000_0000_0000_0001L, 0, 100);
        pair.a().postSend(-1, 0, 77);
        pair.a().awaitSends(1);
        await("a completion under the cursor", () -> {
            try (CompletionCursor wc = pair.b().receiveCq.startPoll()) {
                if (!wc.next()) {
                    return false;
                }
                assertThat(wc.wrId()).isEqualTo(0x7000_0000_0000_0001L);
                assertThat(wc.status()).isEqualTo(WcStatus.SUCCESS);
                assertThat(wc.opcode()).isEqualTo(WcOpcode.RECV);
                assertThat(wc.byteLength()).isEqualTo(77);
                assertThat(wc.qpNumber()).isEqualTo(pair.b().qp.qpn());
                assertThat(wc.flags()).isZero();
                assertThat(wc.next()).isFalse();
                return true;
            }
        });
    }

    /** {@code test_resize_cq}. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 300})
    void aQueueIsResizedWithCompletionsInIt(int entries) {
        require(Capability.CQ_RESIZE);
        Pair pair = connected();
        pair.b().postReceive(1, 0, 8);
        pair.a().postSend(2, 0, 8);
        pair.b().awaitReceive();
        pair.a().sendCq.resize(entries);
        assertThat(pair.a().sendCq.capacity()).isGreaterThanOrEqualTo(entries);
        assertThat(pair.a().awaitSend().wrId()).isEqualTo(2);
    }

    @Test
    void aSizeThatNoQueueCanHaveIsRefusedForResizingToo() {
        CompletionQueue cq = closing(context().createCq(8));
        assertRefused(Errno.EINVAL, () -> cq.resize(0));
        assertRefused(Errno.EINVAL, () -> cq.resize(maxEntries() + 1));
        if (!target().capabilities().contains(Capability.CQ_RESIZE)) {
            assertRefused(Errno.EOPNOTSUPP, () -> cq.resize(16));
        }
    }

    /** What was in the queue before it broke can still be polled, nothing comes after it. */
    @Test
    @Covers({"CQ-17", "EVT-7"})
    void aQueueThatIsNotPolledBreaksAndSaysSo() {
        Pair pair = connected(EndpointSetup.DEFAULT.cqEntries(3), LinkSetup.DEFAULT);
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
