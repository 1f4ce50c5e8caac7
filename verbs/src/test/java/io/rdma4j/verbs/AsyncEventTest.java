// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class AsyncEventTest {
    private final Fixture fixture = new Fixture();
    private final Context context = fixture.context;
    private final List<AsyncEvent> ofQp = new ArrayList<>();
    private final List<AsyncEvent> ofContext = new ArrayList<>();
    private final CompletionQueue cq = context.createCq(16);
    private final QueuePair qp = fixture.pd.createQp(
            QpInitAttributes.builder(cq).eventHandler(ofQp::add).build());

    private void raise(EventType type) {
        fixture.device.qp(qp.qpn()).raise(type);
    }

    @Test
    @Covers({"EVT-5", "EVT-27", "EVT-28"})
    void aPortEventNamesItsPort() throws InterruptedException {
        fixture.device.events().event(EventType.PORT_ERR, 2);

        AsyncEvent event = context.getAsyncEvent();

        assertThat(event).isEqualTo(AsyncEvent.of(EventType.PORT_ERR, context, 2));
        assertThat(event).hasToString("port error (port 2)");
        context.acknowledgeAsyncEvent(event);
    }

    @Test
    @Covers("EVT-5")
    void anEventOfAQueuePairGoesToItsHandlerAndToTheContext() throws InterruptedException {
        context.registerEventHandler(ofContext::add);

        raise(EventType.COMM_EST);
        fixture.device.events().event(EventType.PORT_ACTIVE, 1);

        AsyncEvent event = context.getAsyncEvent();
        assertThat(event.queuePair()).isSameAs(qp);
        assertThat(event.type().isAffiliated()).isTrue();
        assertThat(ofQp).containsExactly(event);
        assertThat(ofContext).extracting(AsyncEvent::type).containsExactly(EventType.COMM_EST, EventType.PORT_ACTIVE);
    }

    @Test
    @Covers({"EVT-7", "CQ-17"})
    void anOverrunQueueCallsItsHandler() throws InterruptedException {
        List<AsyncEvent> ofCq = new ArrayList<>();
        CompletionQueue small = context.createCq(CqInitAttributes.of(1).withEventHandler(ofCq::add));
        QueuePair overrunning = fixture.qp(small);
        overrunning.modify(Fixture.toInit().build());
        overrunning.postReceive(ReceiveRequest.of(1), ReceiveRequest.of(2), ReceiveRequest.of(3));

        overrunning.modify(QpAttributes.builder().state(QpState.ERR).build());

        AsyncEvent event = context.getAsyncEvent();
        assertThat(event.type()).isEqualTo(EventType.CQ_ERR);
        assertThat(event.completionQueue()).isSameAs(small);
        assertThat(ofCq).containsExactly(event);
        overrunning.close();
        assertRefused(Errno.EBUSY, "1 unacknowledged asynchronous events", small::close);
        context.acknowledgeAsyncEvent(event);
        small.close();
    }

    @Test
    @Covers({"EVT-1", "EVT-3", "EVT-4"})
    void aHandlerIsCalledUntilItIsUnregistered() {
        Consumer<AsyncEvent> handler = ofContext::add;
        context.registerEventHandler(handler);
        fixture.device.events().event(EventType.PORT_ERR, 1);
        context.unregisterEventHandler(handler);
        fixture.device.events().event(EventType.PORT_ACTIVE, 1);

        assertThat(ofContext).extracting(AsyncEvent::type).containsExactly(EventType.PORT_ERR);
        assertRefused(Errno.EINVAL, "not registered", () -> context.unregisterEventHandler(handler));
    }

    /** Each registration is a record of its own, even for the same handler. */
    @Test
    @Covers({"EVT-2", "EVT-4"})
    void aRegistrationKnowsItsContextAndHandlerUntilItIsClosed() {
        Consumer<AsyncEvent> handler = ofContext::add;
        EventRegistration first = context.registerEventHandler(handler);
        EventRegistration second = context.registerEventHandler(handler);
        assertThat(first.context()).isSameAs(context);
        assertThat(first.handler()).isSameAs(handler);
        fixture.device.events().event(EventType.PORT_ERR, 1);
        assertThat(ofContext).hasSize(2);

        first.close();
        first.close();
        fixture.device.events().event(EventType.PORT_ACTIVE, 1);
        assertThat(ofContext).hasSize(3);

        second.close();
        fixture.device.events().event(EventType.PORT_ERR, 1);
        assertThat(ofContext).hasSize(3);
        assertRefused(Errno.EINVAL, "not registered", () -> context.unregisterEventHandler(handler));
    }

    /** Events of the subnet manager refer to a port and to no object of the application. */
    @ParameterizedTest
    @EnumSource(
            value = EventType.class,
            names = {"LID_CHANGE", "SM_CHANGE", "CLIENT_REREGISTER"})
    void eventsOfTheSubnetGoToEveryHandlerOfTheDevice(EventType type) throws InterruptedException {
        context.registerEventHandler(ofContext::add);

        fixture.device.events().event(type, 2);

        AsyncEvent event = context.getAsyncEvent();
        assertThat(event).isEqualTo(new AsyncEvent(type, context, null, null, null, 2));
        assertThat(type.isAffiliated()).isFalse();
        assertThat(ofContext).containsExactly(event);
        assertThat(ofQp).isEmpty();
        context.acknowledgeAsyncEvent(event);
    }

    /** Another context of the same device does not receive them. */
    @Test
    void eventsGoToTheContextOfTheirObject() throws InterruptedException {
        Context other = fixture.host.open("loop0");
        CompletionChannel channel = context.createCompletionChannel();
        CompletionChannel otherChannel = context.createCompletionChannel();
        CompletionQueue woken = context.createCq(2, channel);
        CompletionQueue silent = context.createCq(2, otherChannel);
        silent.requestNotification(false);
        woken.requestNotification(false);
        QueuePair overrunning = fixture.qp(woken);
        overrunning.modify(Fixture.toInit().build());
        for (int i = 0; i < 4; i++) {
            overrunning.postReceive(ReceiveRequest.of(i));
        }

        overrunning.modify(QpAttributes.builder().state(QpState.ERR).build());

        assertThat(channel.getEvent(Duration.ZERO)).isSameAs(woken);
        assertThat(otherChannel.getEvent(Duration.ZERO)).isNull();
        assertThat(Objects.requireNonNull(context.getAsyncEvent(ChronoUnit.FOREVER.getDuration()))
                        .completionQueue())
                .isSameAs(woken);
        assertThat(other.getAsyncEvent(Duration.ZERO)).isNull();
    }

    /** Otherwise a deadlock is possible: a control verb of the polling thread waits for the device's thread. */
    @Test
    void aHandlerCannotPollAQueueThatAnotherThreadPolls() throws Exception {
        List<Integer> polled = new ArrayList<>();
        context.registerEventHandler(_ -> {
            assertRefused(Errno.EBUSY, "another thread is polling", () -> cq.poll(1));
            polled.add(1);
        });
        try (CompletionCursor cursor = cq.startPoll()) {
            CompletableFuture.runAsync(() -> raise(EventType.COMM_EST)).get();
            assertThat(cursor.next()).isFalse();
        }
        assertThat(polled).hasSize(1);
    }

    @Test
    void aHandlerPollsAQueueThatNoThreadPolls() throws Exception {
        List<List<WorkCompletion>> polled = new ArrayList<>();
        context.registerEventHandler(_ -> polled.add(cq.poll(1)));

        CompletableFuture.runAsync(() -> raise(EventType.COMM_EST)).get();

        assertThat(polled).containsExactly(List.of());
    }

    @Test
    void otherHandlersRunAfterOneThatThrows() {
        context.registerEventHandler(_ -> {
            throw new IllegalStateException("the handler is broken");
        });
        context.registerEventHandler(ofContext::add);

        raise(EventType.QP_FATAL);

        assertThat(ofContext).hasSize(1);
    }

    @Test
    @Covers("EVT-28")
    void aQueuePairWithUnacknowledgedEventsCannotBeDestroyed() throws InterruptedException {
        raise(EventType.QP_ACCESS_ERR);
        AsyncEvent event = context.getAsyncEvent();

        assertRefused(Errno.EBUSY, "1 unacknowledged asynchronous events", qp::close);
        context.acknowledgeAsyncEvent(event);
        assertRefused(Errno.EINVAL, "only 0 were delivered", () -> context.acknowledgeAsyncEvent(event));
        qp.close();
    }

    @Test
    void unfetchedEventsAreDiscardedWithTheirObject() throws InterruptedException {
        raise(EventType.QP_ACCESS_ERR);
        qp.close();

        assertThat(context.getAsyncEvent(Duration.ZERO)).isNull();
    }

    @Test
    void eventsOfAnotherContextAreNotAcknowledgedHere() throws InterruptedException {
        Context other = fixture.host.open("loop0");
        fixture.device.events().event(EventType.PORT_ERR, 1);
        AsyncEvent event = other.getAsyncEvent();

        assertRefused(Errno.EINVAL, "belongs to another context", () -> context.acknowledgeAsyncEvent(event));
        other.acknowledgeAsyncEvent(event);
    }

    @Test
    void theQueueIsBoundedAndCountsWhatItDrops() {
        for (int i = 0; i < 4096 + 3; i++) {
            fixture.device.events().event(EventType.PORT_ERR, 1);
        }

        assertThat(context.droppedAsyncEvents()).isEqualTo(3);
    }

    @Test
    @Covers("EVT-27")
    void aThreadCanSleepUntilAnEventComes() throws Exception {
        CompletableFuture<AsyncEvent> fetched = new CompletableFuture<>();
        Thread sleeper = Thread.ofVirtual().start(() -> {
            try {
                fetched.complete(context.getAsyncEvent());
            } catch (InterruptedException e) {
                fetched.completeExceptionally(e);
            }
        });
        while (fixture.device.sleepers() == 0) {
            Thread.onSpinWait();
        }
        fixture.device.events().event(EventType.DEVICE_FATAL, 0);

        assertThat(fetched.get().type()).isEqualTo(EventType.DEVICE_FATAL);
        sleeper.join();
    }
}
