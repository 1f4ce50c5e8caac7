// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.device;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
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
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.SrqAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Cases for asynchronous events, including those of completion queues. */
public abstract class AsyncEventCases extends ConformanceCases {
    protected AsyncEventCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    /** The peer's first message arrives before the program has moved the queue pair to RTS. */
    @Test
    @Covers({"EVT-5", "EVT-11", "QP-25"})
    void theFirstMessageInReadyToReceiveEstablishesTheConnection() {
        QpPair pair = halfConnected();
        pair.a().postSend(2, 0, 8);
        AsyncEvent event = awaitEvent(pair.b(), EventType.COMM_EST);
        assertThat(event.queuePair()).isSameAs(pair.b().qp);
        assertThat(event.context()).isSameAs(pair.b().context);
        assertThat(pair.b().qp.state()).isEqualTo(QpState.RTR);
        pair.a().awaitSend();
        pair.b().awaitReceive();
    }

    /** The second side is in RTR with a receive posted. */
    private QpPair halfConnected() {
        QpPair pair = new QpPair(
                endpoint(target().first(), EndpointSetup.DEFAULT), endpoint(target().second(), EndpointSetup.DEFAULT));
        pair.b().bringTo(QpState.RTR, pair.a());
        pair.b().postReceive(1, 0, 64);
        pair.a().connectTo(pair.b(), LinkSetup.DEFAULT);
        return pair;
    }

    /**
     * Started requests are completed before the event is raised; requests posted after the start of draining are held.
     */
    @Test
    @Covers({"EVT-12", "QP-27", "QP-41", "QP-64", "QP-65"})
    void aDrainedSendQueueSaysSoAndHoldsNewRequests() {
        QpPair pair = connected();
        Endpoint a = pair.a();
        a.postSend(1, 0, 2000);
        await("the start of the request", () -> drains(a));
        a.postSend(2, 0, 2000);
        pair.b().postReceive(3, 0, 2000);
        pair.b().postReceive(4, 0, 2000);
        assertThat(awaitEvent(a, EventType.SQ_DRAINED).queuePair()).isSameAs(a.qp);
        assertThat(a.qp.query().sqDraining()).isFalse();
        assertThat(a.awaitSend().wrId()).isEqualTo(1);
        assertThat(a.sendCq.poll(1)).isEmpty();
        a.qp.modify(Endpoint.only(QpState.RTS));
        assertThat(a.awaitSend().wrId()).isEqualTo(2);
    }

    /** Drains the send queue; false if the device had not started the request, which is then held for the next try. */
    private boolean drains(Endpoint a) {
        a.qp.modify(
                QpAttributes.builder().state(QpState.SQD).sqdAsyncNotify(true).build());
        boolean draining = a.qp.query().sqDraining();
        if (!draining) {
            awaitEvent(a, EventType.SQ_DRAINED);
            a.qp.modify(Endpoint.only(QpState.RTS));
        }
        return draining;
    }

    @Test
    @Covers({"EVT-3", "EVT-4", "EVT-1", "EVT-2"})
    void handlersAreToldUntilTheyAreTakenBack() {
        List<EventType> seen = new CopyOnWriteArrayList<>();
        Consumer<AsyncEvent> handler = event -> seen.add(event.type());
        target().second().registerEventHandler(handler);
        QpPair pair = halfConnected();
        pair.a().postSend(2, 0, 8);
        awaitEvent(pair.b(), EventType.COMM_EST);
        await("the handler", () -> seen.contains(EventType.COMM_EST));
        target().second().unregisterEventHandler(handler);
        assertRefused(Errno.EINVAL, () -> target().second().unregisterEventHandler(handler));
    }

    @Test
    @Covers({"EVT-27", "EVT-28"})
    void eventsMustBeAcknowledgedBeforeTheirQueuePairIsClosed() throws InterruptedException {
        QpPair pair = halfConnected();
        pair.a().postSend(2, 0, 8);
        AsyncEvent event = awaitValue("the event", () -> pair.b().context.getAsyncEvent(Duration.ZERO));
        assertRefused(Errno.EBUSY, pair.b().qp::close);
        assertRefused(Errno.EINVAL, () -> otherContextThanOf(pair.b()).acknowledgeAsyncEvent(event));
        pair.b().context.acknowledgeAsyncEvent(event);
        assertRefused(Errno.EINVAL, () -> pair.b().context.acknowledgeAsyncEvent(event));
        pair.b().qp.close();
        assertThat(pair.b().context.getAsyncEvent(Duration.ZERO)).isNull();
    }

    /** Each object's handler gets the events of its object only; the context gets all. */
    @Test
    @Covers({"CQ-19", "EVT-6"})
    void eventsOfAnObjectGoToTheHandlerOfItsCreationToo() {
        require(DeviceLimit.MAX_SRQ);
        Context context = target().second();
        Endpoint sender = endpoint(target().first(), EndpointSetup.DEFAULT);
        Endpoint base = endpoint(context, EndpointSetup.DEFAULT);
        List<AsyncEvent> ofQp = new CopyOnWriteArrayList<>();
        List<AsyncEvent> ofCq = new CopyOnWriteArrayList<>();
        List<AsyncEvent> ofSrq = new CopyOnWriteArrayList<>();
        CompletionChannel channel = closing(context.createCompletionChannel());
        CompletionQueue cq =
                closing(context.createCq(CqInitAttributes.of(1, channel, 0).withEventHandler(ofCq::add)));
        SharedReceiveQueue srq =
                closing(base.pd.createSrq(SrqInitAttributes.basic(new SrqAttributes(64, 1, 0), "pool", ofSrq::add)));
        QueuePair qp = closing(base.pd.createQp(
                QpInitAttributes.builder(cq).srq(srq).eventHandler(ofQp::add).build()));
        qp.modify(base.init().build());
        qp.modify(base.readyToReceive(sender, LinkSetup.DEFAULT).build());
        Transitions.connect(sender.qp, Set.of(), LinkSetup.DEFAULT, qp.qpn(), sender.pathTo(base));
        int messages = cq.capacity() + 1;
        for (int i = 0; i < messages; i++) {
            srq.postReceive(ReceiveRequest.of(i, base.mr.sge(0, 8)));
        }
        srq.armLimit(messages);
        cq.requestNotification(false);
        for (int i = 0; i < messages; i++) {
            sender.postSend(i, 0, 8);
        }
        assertThat(awaitEvent(context, EventType.CQ_ERR).completionQueue()).isSameAs(cq);
        assertThat(awaitValue("the completion event", () -> channel.getEvent(Duration.ZERO)))
                .isSameAs(cq);
        cq.acknowledgeEvents(1);
        assertThat(ofCq).extracting(AsyncEvent::type).containsExactly(EventType.CQ_ERR);
        assertThat(ofSrq).extracting(AsyncEvent::type).containsExactly(EventType.SRQ_LIMIT_REACHED);
        assertThat(ofSrq.getFirst().sharedReceiveQueue()).isSameAs(srq);
        // The queue pair goes with its completion queue.
        awaitEvent(context, EventType.QP_LAST_WQE_REACHED);
        // The handler of an object is called after the event is in the queue of the context.
        awaitValue("the last event of the queue pair", () -> ofQp.size() < 3 ? null : ofQp);
        assertThat(ofQp)
                .extracting(AsyncEvent::type)
                .containsExactly(EventType.COMM_EST, EventType.QP_FATAL, EventType.QP_LAST_WQE_REACHED);
        assertThat(ofQp).allSatisfy(event -> assertThat(event.queuePair()).isSameAs(qp));
    }

    private Context otherContextThanOf(Endpoint endpoint) {
        return endpoint.context == target().first() ? target().second() : target().first();
    }
}
