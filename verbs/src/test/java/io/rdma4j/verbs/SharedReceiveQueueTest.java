// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.values.SrqType;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedReceiveQueueTest {
    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(64);
    private final SharedReceiveQueue srq = fixture.pd.createSrq(SrqInitAttributes.basic(10, 1));

    private QueuePair sharing() {
        return fixture.pd.createQp(QpInitAttributes.builder(cq).srq(srq).build());
    }

    @Test
    @Covers("SRQ-3")
    void theSizesAreAtLeastThoseAskedFor() {
        assertThat(srq.query().maxWr()).isGreaterThanOrEqualTo(10);
        assertThat(srq.query().maxSge()).isPositive();
        assertThat(srq.query().limit()).isZero();
        assertThat(srq.type()).isEqualTo(SrqType.BASIC);
        assertThat(srq.protectionDomain()).isSameAs(fixture.pd);
    }

    @Test
    @Covers("SRQ-4")
    void anImpossibleQueueIsRefused() {
        assertRefused(Errno.EINVAL, "max_wr 101 is not in 1..100", () -> create(101, 1, 0));
        assertRefused(Errno.EINVAL, "max_wr 0 is not in 1..100", () -> create(0, 1, 0));
        assertRefused(Errno.EINVAL, "max_sge 3 is not in 0..2", () -> create(1, 3, 0));
        assertRefused(Errno.EINVAL, "srq_limit 6 is not in 0..5", () -> create(5, 1, 6));
        assertRefused(Errno.EINVAL, "srq_limit -1", () -> create(5, 1, -1));
        create(5, 1, 0);
        assertRefused(Errno.ENOMEM, "2 shared receive queues, its max_srq", () -> create(5, 1, 0));
        fixture.device.limit(DeviceLimit.MAX_SRQ, 0);
        assertRefused(Errno.EOPNOTSUPP, "max_srq is 0", () -> create(5, 1, 0));
    }

    private void create(int maxWr, int maxSge, int limit) {
        fixture.pd.createSrq(SrqInitAttributes.basic(new SrqAttributes(maxWr, maxSge, limit), null, null));
    }

    @Test
    void manyQueuePairsTakeFromOneQueueAndSayWhichTheyAre() {
        MemoryRegion memory = fixture.memory(4096);
        QueuePair first = sharing();
        QueuePair second = sharing();
        QueuePair sender = fixture.qp(cq);
        srq.postReceive(ReceiveRequest.of(1, memory.sge(0, 8)), ReceiveRequest.of(2, memory.sge(8, 8)));
        Fixture.connect(first, sender);
        Fixture.connect(second, sender);

        for (QueuePair receiver : List.of(second, first)) {
            Fixture.connect(sender, receiver);
            sender.postSend(SendRequest.send().build());
            sender.modify(QpAttributes.builder().state(QpState.RESET).build());
        }

        assertThat(cq.poll(9))
                .extracting(WorkCompletion::wrId, WorkCompletion::qpNumber)
                .containsExactly(tuple(1L, second.qpn()), tuple(2L, first.qpn()));
    }

    @Test
    @Covers("QP-3")
    void aQueuePairThatSharesHasNoReceiveQueueOfItsOwn() {
        QueuePair qp = fixture.pd.createQp(QpInitAttributes.builder(cq)
                .capabilities(QpCapabilities.of(1, 100_000))
                .srq(srq)
                .build());
        qp.modify(Fixture.toInit().build());

        assertThat(qp.initAttributes().srq()).isSameAs(srq);
        assertRefused(Errno.EINVAL, "post receives there", () -> qp.postReceive(ReceiveRequest.of(1)));
        assertRefused(Errno.EINVAL, "post receives there", qp::startReceive);
    }

    @Test
    @Covers({"SRQ-8", "SRQ-9", "SRQ-10", "EVT-22"})
    void theLimitEventComesOnceForEachArming() throws InterruptedException {
        List<AsyncEvent> seen = new ArrayList<>();
        srq.close();
        SharedReceiveQueue watched =
                fixture.pd.createSrq(SrqInitAttributes.basic(new SrqAttributes(10, 1, 0), "mine", seen::add));
        QueuePair qp = fixture.pd.createQp(QpInitAttributes.builder(cq)
                .capabilities(QpCapabilities.of(20, 0))
                .srq(watched)
                .build());
        Fixture.connect(qp, qp);
        for (int i = 0; i < 10; i++) {
            watched.postReceive(ReceiveRequest.of(i));
        }
        watched.armLimit(7);

        send(qp, 3);
        assertThat(seen).isEmpty();
        assertThat(watched.query().limit()).isEqualTo(7);
        send(qp, 1);
        assertThat(watched.query().limit()).isZero();
        send(qp, 2);

        assertThat(seen).extracting(AsyncEvent::type).containsExactly(EventType.SRQ_LIMIT_REACHED);
        AsyncEvent fetched = fixture.context.getAsyncEvent();
        assertThat(fetched.sharedReceiveQueue()).isSameAs(watched);
        assertThat(watched.userContext()).isEqualTo("mine");
        fixture.context.acknowledgeAsyncEvent(fetched);
        watched.armLimit(4);
        send(qp, 1);
        assertThat(seen).hasSize(2);
    }

    private static void send(QueuePair qp, int count) {
        for (int i = 0; i < count; i++) {
            qp.postSend(SendRequest.send().build());
        }
    }

    @Test
    void theLimitIsWithinTheQueue() {
        int size = srq.query().maxWr();
        srq.armLimit(size);
        assertRefused(Errno.EINVAL, "srq_limit", () -> srq.armLimit(size + 1));
        assertRefused(Errno.EINVAL, "srq_limit", () -> srq.armLimit(-1));
        assertThat(srq.query().limit()).isEqualTo(size);
    }

    @Test
    @Covers({"SRQ-6", "SRQ-7", "DEV-44"})
    void aQueueIsResizedWithItsRequestsIfTheDeviceCan() {
        MemoryRegion memory = fixture.memory(64);
        for (int i = 0; i < 10; i++) {
            srq.postReceive(ReceiveRequest.of(i, memory.sge(0, 8)));
        }
        srq.resize(60);
        assertThat(srq.query().maxWr()).isGreaterThanOrEqualTo(60);
        for (int i = 10; i < 60; i++) {
            srq.postReceive(ReceiveRequest.of(i, memory.sge(0, 8)));
        }
        assertRefused(Errno.EINVAL, "more requests than that wait, namely 60", () -> srq.resize(9));
        assertRefused(Errno.EINVAL, "max_wr 101 is not in 1..100", () -> srq.resize(101));
        srq.armLimit(20);
        assertRefused(Errno.EINVAL, "max_wr 19 is not in 20..100", () -> srq.resize(19));
        srq.armLimit(0);

        QueuePair qp = fixture.pd.createQp(QpInitAttributes.builder(cq)
                .capabilities(QpCapabilities.of(63, 0))
                .srq(srq)
                .build());
        Fixture.connect(qp, qp);
        send(qp, 60);

        assertThat(cq.poll(100)).extracting(WorkCompletion::wrId).hasSize(60).isSorted();
        fixture.device.lose(DeviceCapability.SRQ_RESIZE);
        assertRefused(Errno.EOPNOTSUPP, "SRQ_RESIZE", () -> srq.resize(5));
    }

    @Test
    @Covers("SRQ-12")
    void aFullQueueTakesAsManyAsFitAndNamesTheFirstThatDoesNot() {
        int size = srq.query().maxWr();
        List<ReceiveRequest> requests = new ArrayList<>();
        for (int i = 0; i <= size; i++) {
            requests.add(ReceiveRequest.of(i));
        }

        assertThatExceptionOfType(BadWorkRequestException.class)
                .isThrownBy(() -> srq.postReceive(requests))
                .satisfies(e -> {
                    assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
                    assertThat(e.index()).isEqualTo(size);
                    assertThat(e.request()).isSameAs(requests.getLast());
                });
    }

    @Test
    @Covers({"SRQ-11", "QP-22"})
    void aQueueInUseIsBusyAndAClosedOneRefuses() {
        QueuePair qp = sharing();
        assertRefused(Errno.EBUSY, "1 queue pair", srq::close);
        assertRefused(Errno.EBUSY, "1 shared receive queue", fixture.pd::close);
        qp.close();
        srq.close();
        srq.close();

        assertRefused(Errno.EINVAL, "is closed", () -> srq.postReceive(ReceiveRequest.of(1)));
        assertRefused(Errno.EINVAL, "is closed", srq::query);
        assertRefused(Errno.EINVAL, "is closed", () -> srq.armLimit(1));
        assertRefused(Errno.EINVAL, "is closed", () -> srq.resize(1));
        assertRefused(Errno.EINVAL, "is closed", this::sharing);
        fixture.pd.close();
    }

    @Test
    @Covers("EVT-5")
    void anErrorOfTheQueueIsAnEventThatMustBeAcknowledged() throws InterruptedException {
        fixture.device.lastSrq().fail();

        AsyncEvent event = fixture.context.getAsyncEvent();
        assertThat(event.type()).isEqualTo(EventType.SRQ_ERR);
        assertThat(event.sharedReceiveQueue()).isSameAs(srq);
        assertThat(event).hasToString("SRQ catastrophic error (" + srq + ")");
        assertRefused(Errno.EBUSY, "1 unacknowledged", srq::close);
        fixture.context.acknowledgeAsyncEvent(event);
        srq.close();
    }

    @Test
    void eventsThatNobodyFetchedGoAwayWithTheQueue() throws InterruptedException {
        fixture.device.lastSrq().fail();
        srq.close();

        assertThat(fixture.context.getAsyncEvent(Duration.ZERO)).isNull();
    }

    @Test
    void aQueueOfAnotherContextIsRefused() {
        Context other = fixture.host.open("loop0");
        CompletionQueue otherCq = other.createCq(4);
        ProtectionDomain otherPd = other.allocatePd();

        assertRefused(
                Errno.EINVAL,
                "belongs to another context",
                () -> otherPd.createQp(
                        QpInitAttributes.builder(otherCq).srq(srq).build()));
    }

    @Test
    void anOrdinaryQueueHasNoNumber() {
        assertRefused(Errno.EOPNOTSUPP, "not of type XRC", srq::number);
    }
}
