// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.values.SrqType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class XrcTest {
    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(16);
    private final XrcDomain domain = fixture.context.openXrcDomain();

    private QueuePair target() {
        return fixture.pd.createQp(QpInitAttributes.xrcTarget(domain).build());
    }

    private QueuePair initiator() {
        return fixture.pd.createQp(QpInitAttributes.builder(cq, null)
                .type(QpType.XRC_INI)
                .capabilities(QpCapabilities.of(4, 0))
                .build());
    }

    private SharedReceiveQueue srq() {
        return fixture.pd.createSrq(SrqInitAttributes.xrc(new SrqAttributes(4, 1, 0), domain, cq));
    }

    private static void toRtr(QueuePair target, int peer) {
        target.modify(Fixture.toInit().build());
        target.modify(Fixture.toRtr(peer).build());
    }

    @Test
    void aMessageReachesTheSharedQueueThatTheSenderNames() {
        QueuePair target = target();
        QueuePair initiator = initiator();
        srq();
        SharedReceiveQueue named = srq();
        named.postReceive(ReceiveRequest.of(8));
        toRtr(target, initiator.qpn());
        initiator.modify(Fixture.toInit().build());
        initiator.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(fixture.path())
                .pathMtu(Mtu.MTU_1024)
                .destinationQpn(target.qpn())
                .rqPsn(1)
                .build());
        initiator.modify(Fixture.toRts().build());

        initiator.postSend(SendRequest.send().xrcSrq(named.number()).build());

        assertThat(cq.poll(4)).singleElement().satisfies(received -> {
            assertThat(received.wrId()).isEqualTo(8);
            assertThat(received.qpNumber()).isEqualTo(target.qpn());
        });
    }

    @Test
    void attributesOfTheOtherHalfAreIgnored() {
        QueuePair initiator = initiator();
        QueuePair target = target();
        for (QueuePair half : new QueuePair[] {initiator, target}) {
            half.modify(Fixture.toInit().build());
            half.modify(Fixture.toRtr(1).build());
            half.modify(Fixture.toRts().build());
        }
        assertThat(initiator.query().mask())
                .contains(QpAttribute.MAX_QP_RD_ATOMIC, QpAttribute.RETRY_CNT, QpAttribute.RNR_RETRY)
                .doesNotContain(QpAttribute.MAX_DEST_RD_ATOMIC, QpAttribute.MIN_RNR_TIMER);
        assertThat(target.query().mask())
                .contains(QpAttribute.MAX_DEST_RD_ATOMIC, QpAttribute.MIN_RNR_TIMER)
                .doesNotContain(QpAttribute.MAX_QP_RD_ATOMIC, QpAttribute.RETRY_CNT, QpAttribute.RNR_RETRY);
        QueuePair whole = fixture.qp(cq);
        whole.modify(Fixture.toInit().build());
        assertRefused(
                Errno.EINVAL,
                "not allowed here [RETRY_CNT]",
                () -> whole.modify(Fixture.toRtr(1).retryCount(1).build()));
    }

    @Test
    @Covers({"XRC-4", "XRC-5", "RXE-80", "RXE-82"})
    void theTwoTypesHaveOnlyTheQueuesTheyNeed() {
        QueuePair initiator = fixture.pd.createQp(
                QpInitAttributes.builder(cq).type(QpType.XRC_INI).build());
        assertThat(initiator.initAttributes().receiveCq()).isNull();
        assertThat(initiator.initAttributes().sendCq()).isSameAs(cq);
        assertRefused(Errno.EINVAL, "it has no receive queue", () -> initiator.postReceive(ReceiveRequest.of(1)));
        QueuePair target = target();
        assertThat(target.initAttributes().sendCq()).isNull();
        assertRefused(Errno.EINVAL, "it has no receive queue", () -> target.postReceive(ReceiveRequest.of(1)));
        assertRefused(
                Errno.EINVAL,
                "it has no send queue",
                () -> target.postSend(SendRequest.send().build()));

        assertRefused(
                Errno.EINVAL,
                "needs a completion queue for sends",
                () -> fixture.pd.createQp(
                        QpInitAttributes.builder(null, cq).type(QpType.XRC_INI).build()));
        assertRefused(
                Errno.EINVAL,
                "XRC_TGT needs an XRC domain",
                () -> fixture.pd.createQp(
                        QpInitAttributes.builder(cq).type(QpType.XRC_TGT).build()));
        assertRefused(
                Errno.EINVAL,
                "RC has no XRC domain",
                () -> fixture.pd.createQp(
                        QpInitAttributes.builder(cq).xrcDomain(domain).build()));
    }

    @Test
    @Covers("XRC-15")
    void sharedQueuesAndQueuePairsOfDifferentKindsDoNotMix() {
        SharedReceiveQueue xrc = srq();
        SharedReceiveQueue basic = fixture.pd.createSrq(SrqInitAttributes.basic(4, 1));

        assertRefused(
                Errno.EINVAL,
                "of type XRC",
                () -> fixture.pd.createQp(QpInitAttributes.builder(cq).srq(xrc).build()));
        assertRefused(
                Errno.EINVAL,
                "none to share",
                () -> fixture.pd.createQp(
                        QpInitAttributes.xrcTarget(domain).srq(basic).build()));
        assertRefused(
                Errno.EINVAL,
                "an XRC shared receive queue has a domain",
                () -> new SrqInitAttributes(SrqType.XRC, new SrqAttributes(1, 1, 0), null, cq, null, null, null));
        assertRefused(
                Errno.EINVAL,
                "a basic one neither",
                () -> new SrqInitAttributes(SrqType.BASIC, new SrqAttributes(1, 1, 0), domain, cq, null, null, null));
    }

    @Test
    @Covers({"XRC-8", "XRC-10", "XRC-16"})
    void aTargetLivesUntilTheLastOpeningIsClosed() {
        QueuePair creator = target();
        int qpn = creator.qpn();
        QueuePair opened = domain.openQp(qpn);
        assertThat(opened).isNotSameAs(creator);
        assertThat(opened.qpn()).isEqualTo(qpn);

        creator.close();

        assertRefused(Errno.EINVAL, "is closed", creator::query);
        opened.modify(Fixture.toInit().build());
        assertThat(opened.state()).isEqualTo(QpState.INIT);
        assertRefused(Errno.EBUSY, "1 queue pair", domain::close);
        fixture.pd.close();
        assertRefused(Errno.EINVAL, "has no protection domain", opened::protectionDomain);
        QueuePair again = domain.openQp(qpn);
        opened.close();
        again.close();
        assertRefused(Errno.ENOENT, "no XRC_TGT queue pair", () -> domain.openQp(qpn));
        domain.close();
    }

    @Test
    @Covers({"XRC-11", "XRC-12", "XRC-13"})
    void whoKnowsTheNumberMayModifyAndQueryTheTarget() {
        QueuePair creator = target();

        try (QueuePair byNumber = domain.openQp(creator.qpn())) {
            byNumber.modify(Fixture.toInit().build());
            toRtrFromInit(byNumber);
        }

        try (QueuePair byNumber = domain.openQp(creator.qpn())) {
            assertThat(byNumber.query().state()).isEqualTo(QpState.RTR);
            assertThat(byNumber.query().destinationQpn()).isEqualTo(0x99);
        }
        assertThat(creator.state()).isEqualTo(QpState.RTR);
    }

    private static void toRtrFromInit(QueuePair qp) {
        qp.modify(Fixture.toRtr(0x99).build());
    }

    @Test
    @Covers("XRC-8")
    void everyOpeningGetsTheEventsOfTheTarget() throws InterruptedException {
        List<AsyncEvent> seen = new ArrayList<>();
        QueuePair creator = target();
        QueuePair opened = domain.openQp(creator.qpn(), "mine", seen::add);

        fixture.device.qp(creator.qpn()).raise(EventType.COMM_EST);

        assertThat(seen)
                .singleElement()
                .satisfies(event -> assertThat(event.queuePair()).isSameAs(opened));
        assertThat(opened.userContext()).isEqualTo("mine");
        assertThat(List.of(fixture.context.getAsyncEvent(), fixture.context.getAsyncEvent()))
                .extracting(AsyncEvent::queuePair)
                .containsExactlyInAnyOrder(creator, opened);
    }

    @Test
    void onlyTargetsOfTheDomainCanBeOpened() {
        QueuePair connected = fixture.qp(cq);
        XrcDomain other = fixture.context.openXrcDomain();
        QueuePair target = target();

        assertRefused(Errno.ENOENT, "no XRC_TGT queue pair", () -> domain.openQp(connected.qpn()));
        assertRefused(Errno.ENOENT, "no XRC_TGT queue pair", () -> other.openQp(target.qpn()));
    }

    @Test
    void aDomainInUseIsBusy() {
        SharedReceiveQueue srq = srq();
        assertRefused(Errno.EBUSY, "1 shared receive queue", domain::close);
        assertRefused(Errno.EBUSY, "1 shared receive queue", cq::close);
        assertRefused(Errno.EBUSY, "1 XRC domain", fixture.context::close);
        srq.close();
        domain.close();
        domain.close();
        assertRefused(Errno.EINVAL, "is closed", this::srq);
        assertRefused(Errno.EINVAL, "is closed", this::target);
        assertRefused(Errno.EINVAL, "is closed", () -> domain.openQp(1));
        cq.close();
    }

    @Test
    void aDeviceWithoutXrcHasNothingOfIt() {
        fixture.device.lose(DeviceCapability.XRC);

        assertRefused(Errno.EOPNOTSUPP, "capability XRC", fixture.context::openXrcDomain);
        assertRefused(Errno.EOPNOTSUPP, "capability XRC", this::initiator);
        assertRefused(Errno.EOPNOTSUPP, "capability XRC", this::target);
    }
}
