// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.qp;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases for queues that are resized while requests are in them. rdma-core has no such test. */
public abstract class QueueResizeCases extends ConformanceCases {
    private static final QpCapabilities SMALL = new QpCapabilities(3, 3, 2, 2, 32);
    private static final int LENGTH = 700;
    private static final int MESSAGES = 23;

    private Endpoint a;
    private Endpoint b;

    protected QueueResizeCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void connect() {
        require(DeviceCapability.RESIZE_MAX_WR);
        QpPair pair = connected(EndpointSetup.DEFAULT.capabilities(SMALL), LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
    }

    private static QpAttributes sizes(int maxSendWr, int maxReceiveWr) {
        return QpAttributes.builder()
                .capabilities(new QpCapabilities(maxSendWr, maxReceiveWr, 1, 1, 0))
                .build();
    }

    private void send(int first, int end) {
        for (int i = first; i < end; i++) {
            Bytes.fill(a.memory.asSlice((long) i * LENGTH, LENGTH), i);
            a.postSend(i, (long) i * LENGTH, LENGTH);
        }
    }

    private void receive(int first, int end) {
        for (int i = first; i < end; i++) {
            b.postReceive(i, (long) i * LENGTH, LENGTH);
        }
    }

    private void assertArrive(int count) {
        assertSuccesses(a.awaitSends(count));
        assertSuccesses(b.awaitReceives(count));
        for (int i = 0; i < count; i++) {
            Bytes.assertHolds(b.memory.asSlice((long) i * LENGTH, LENGTH), i);
        }
    }

    private static void assertSuccesses(List<WorkCompletion> completions) {
        assertThat(completions).allMatch(completion -> completion.status() == WcStatus.SUCCESS);
        assertThat(completions)
                .extracting(WorkCompletion::wrId)
                .containsExactlyElementsOf(
                        LongStream.range(0, completions.size()).boxed().toList());
    }

    private void assertSendQueueIsFull() {
        assertRefused(Errno.ENOMEM, () -> a.postSend(99, 0, LENGTH), "the send queue is full");
    }

    @Test
    @Covers({"QP-58", "DEV-31"})
    void queuesGrowWhileRequestsWait() {
        send(0, 3); // they wait, because the peer has no receive
        assertSendQueueIsFull();
        a.qp.modify(sizes(31, 3));
        assertThat(a.qp.query().capabilities().maxSendWr()).isEqualTo(31);
        assertThat(a.qp.initAttributes().capabilities().maxSendWr()).isEqualTo(31);
        send(3, MESSAGES);

        b.qp.modify(sizes(3, 31));
        receive(0, MESSAGES);
        assertArrive(MESSAGES);
    }

    @Test
    @Covers("QP-58")
    void aReceiveQueueGrowsBehindItsRequests() {
        receive(0, 3);
        assertRefused(Errno.ENOMEM, () -> b.postReceive(99, 0, LENGTH), "the receive queue is full");
        b.qp.modify(sizes(3, 31));
        receive(3, MESSAGES);
        for (int i = 0; i < MESSAGES; i++) {
            send(i, i + 1);
            assertThat(a.awaitSend().wrId()).isEqualTo(i);
        }
        assertSuccesses(b.awaitReceives(MESSAGES));
        Bytes.assertHolds(b.memory.asSlice((MESSAGES - 1L) * LENGTH, LENGTH), MESSAGES - 1);
    }

    @Test
    @Covers("QP-58")
    void aQueueIsResizedAgainBeforeTheFirstResizeIsThrough() {
        send(0, 3);
        a.qp.modify(sizes(7, 3));
        send(3, 7);
        a.qp.modify(sizes(31, 3));
        send(7, MESSAGES);
        b.qp.modify(sizes(3, 31));
        receive(0, MESSAGES);
        assertArrive(MESSAGES);
    }

    @Test
    @Covers("QP-58")
    void queuesShrink() {
        a.qp.modify(sizes(1, 1));
        b.qp.modify(sizes(1, 1));
        assertThat(a.qp.query().capabilities().maxSendWr()).isEqualTo(1);
        send(0, 1);
        assertSendQueueIsFull();
        receive(0, 1);
        assertArrive(1);
    }

    @Test
    @Covers("QP-58")
    void aQueueBecomesNoSmallerThanWhatWaits() {
        send(0, 3);
        assertRefused(Errno.EINVAL, () -> a.qp.modify(sizes(2, 3)), "max_send_wr 2", "namely 3");
        receive(0, 3);
        assertRefused(Errno.EINVAL, () -> a.qp.modify(sizes(3, 1 << 30)), "max_recv_wr");
        assertThat(a.qp.query().capabilities().maxSendWr()).isEqualTo(3);
        assertArrive(3);
    }

    @Test
    void elementsOfARequestStayAsMany() {
        QpCapabilities wide = new QpCapabilities(3, 3, 30, 2, 32);
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.modify(QpAttributes.builder().capabilities(wide).build()),
                "max_send_sge 30");
    }

    @Test
    @Covers("QP-58")
    void requestsInBothRingsAreFlushed() {
        send(0, 3);
        a.qp.modify(sizes(31, 3));
        send(3, 9);
        a.qp.modify(Endpoint.only(QpState.ERR));
        assertThat(a.awaitSends(9))
                .extracting(WorkCompletion::wrId)
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
    }

    @Test
    @Covers("QP-58")
    void aResetForgetsBothRings() {
        send(0, 3);
        a.qp.modify(sizes(31, 3));
        send(3, 9);
        a.qp.modify(Endpoint.only(QpState.RESET));
        b.qp.modify(Endpoint.only(QpState.RESET));
        assertThat(a.qp.query().capabilities().maxSendWr()).isEqualTo(31);
        a.connectTo(b, LinkSetup.DEFAULT);
        b.connectTo(a, LinkSetup.DEFAULT);
        receive(0, 1);
        send(0, 1);
        assertArrive(1);
    }
}
