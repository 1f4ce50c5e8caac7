// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.wr.WaitStrategy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class CompletionChannelTest {
    private final Fixture fixture = new Fixture();
    private final Context context = fixture.context;
    private final CompletionChannel channel = context.createCompletionChannel();
    private final CompletionQueue cq =
            context.createCq(CqInitAttributes.of(16, channel, 1).withUserContext("mine"));
    private final QueuePair qp = fixture.qp(cq);
    private final QueuePair peer = fixture.qp(context.createCq(16));

    @BeforeEach
    void connect() {
        Fixture.connect(qp, peer);
        Fixture.connect(peer, qp);
    }

    /** The peer's message completes one receive of the queue pair under test. */
    private void deliver(boolean solicited) {
        qp.postReceive(ReceiveRequest.of(1));
        SendRequest.Builder send = SendRequest.send();
        peer.postSend((solicited ? send.solicited() : send).build());
    }

    @Test
    @Covers({"CQ-2", "CQ-11", "CQ-12", "CQ-20", "CQ-22", "CQ-23"})
    void anArmedQueueRaisesOneEvent() throws InterruptedException {
        cq.requestNotification(false);
        deliver(false);
        deliver(false);

        CompletionQueue raised = channel.getEvent();

        assertThat(raised).isSameAs(cq);
        assertThat(raised.userContext()).isEqualTo("mine");
        assertThat(channel.getEvent(Duration.ZERO)).isNull();
        cq.acknowledgeEvents(1);
    }

    @Test
    @Covers("CQ-2")
    void aQueueWithAHandlerCallsItInPlaceOfAnEvent() {
        List<CompletionQueue> called = new ArrayList<>();
        CompletionQueue handled = context.createCq(CqInitAttributes.of(16).withCompletionHandler(called::add));
        QueuePair own = fixture.qp(handled);
        QueuePair other = fixture.qp(context.createCq(16));
        Fixture.connect(own, other);
        Fixture.connect(other, own);

        handled.requestNotification(false);
        for (int i = 0; i < 2; i++) {
            own.postReceive(ReceiveRequest.of(1));
            other.postSend(SendRequest.send().build());
        }

        assertThat(called).containsExactly(handled);
        assertRefused(Errno.EINVAL, "gets its events", () -> handled.poll(1, Duration.ofSeconds(1), WaitStrategy.PARK));
    }

    @Test
    void aHandlerThatThrowsDoesNotHarmTheDevice() {
        CompletionQueue handled = context.createCq(CqInitAttributes.of(16).withCompletionHandler(_ -> {
            throw new IllegalStateException("of the application");
        }));
        QueuePair own = fixture.qp(handled);
        QueuePair other = fixture.qp(context.createCq(16));
        Fixture.connect(own, other);
        Fixture.connect(other, own);

        handled.requestNotification(false);
        own.postReceive(ReceiveRequest.of(1));
        other.postSend(SendRequest.send().build());

        assertThat(handled.poll(2)).hasSize(1);
    }

    @Test
    void aQueueHasAChannelOrAHandlerAndNotBoth() {
        assertRefused(
                Errno.EINVAL,
                "not both",
                () -> CqInitAttributes.of(16, channel, 1).withCompletionHandler(_ -> {}));
    }

    @Test
    void aWaitWithoutLimitReturnsAPresentEvent() throws InterruptedException {
        cq.requestNotification(false);
        deliver(false);
        assertThat(channel.getEvent(ChronoUnit.FOREVER.getDuration())).isSameAs(cq);
        cq.acknowledgeEvents(1);
    }

    @Test
    @Covers({"CQ-11", "CQ-14", "CQ-25"})
    void completionsFromBeforeArmingRaiseNoEventButAreReported() throws InterruptedException {
        assertThat(cq.requestNotification(false)).isFalse();
        deliver(false);
        channel.getEvent();
        cq.acknowledgeEvents(1);

        assertThat(cq.requestNotification(false)).isTrue();

        assertThat(channel.getEvent(Duration.ofMillis(5))).isNull();
        assertThat(cq.poll(10)).hasSize(1);
    }

    @Test
    @Covers("CQ-13")
    void aQueueArmedForSolicitedCompletionsWaitsForOne() throws InterruptedException {
        cq.requestNotification(true);
        deliver(false);
        assertThat(channel.getEvent(Duration.ZERO)).isNull();

        deliver(true);
        assertThat(channel.getEvent(Duration.ZERO)).isSameAs(cq);
        cq.acknowledgeEvents(1);
    }

    @Test
    void eventsOfOneQueueThatWereNotFetchedAreCounted() throws InterruptedException {
        cq.requestNotification(false);
        deliver(false);
        cq.requestNotification(false);
        deliver(false);

        assertThat(channel.getEvent(Duration.ZERO)).isSameAs(cq);
        assertThat(channel.getEvent(Duration.ZERO)).isSameAs(cq);
        assertThat(channel.getEvent(Duration.ZERO)).isNull();
        cq.acknowledgeEvents(2);
    }

    @Test
    @Covers("CQ-22")
    void aSleepingThreadWakesUpAndHasAnnouncedItsSleep() throws Exception {
        cq.requestNotification(false);
        CompletableFuture<CompletionQueue> event = new CompletableFuture<>();
        Thread sleeper = Thread.ofVirtual().start(() -> {
            try {
                event.complete(channel.getEvent());
            } catch (InterruptedException e) {
                event.completeExceptionally(e);
            }
        });
        while (fixture.device.sleepers() == 0) {
            Thread.onSpinWait();
        }
        assertThat(event).isNotDone();

        deliver(false);

        assertThat(event.get()).isSameAs(cq);
        cq.acknowledgeEvents(1);
        sleeper.join();
    }

    @Test
    void aSleepingThreadCanBeInterrupted() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread sleeper = Thread.ofPlatform().start(() -> {
            try {
                channel.getEvent();
            } catch (InterruptedException e) {
                thrown.complete(e);
            }
        });
        sleeper.interrupt();

        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        sleeper.join();
    }

    @Test
    void closingTheChannelEndsTheWaitsOfOtherThreads() {
        CompletionChannel unused = context.createCompletionChannel();
        CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
            try {
                unused.getEvent();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        while (fixture.device.sleepers() == 0) {
            Thread.onSpinWait();
        }
        unused.close();

        assertThatThrownBy(waiting::join)
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void waitingEndsWhenTheTimeIsOver() throws InterruptedException {
        assertThat(channel.getEvent(Duration.ofMillis(20))).isNull();
        assertThat(fixture.device.sleepers()).isPositive();
        assertThat(channel.getEvent(Duration.ofMillis(-1))).isNull();
    }

    @Test
    void aQueueWithUnacknowledgedEventsCannotBeDestroyed() throws InterruptedException {
        cq.requestNotification(false);
        deliver(false);
        channel.getEvent();
        qp.close();

        assertRefused(Errno.EBUSY, "1 unacknowledged completion events", cq::close);
        cq.acknowledgeEvents(1);
        cq.close();
    }

    @Test
    void unfetchedEventsAreDiscardedWithTheirQueue() throws InterruptedException {
        cq.requestNotification(false);
        deliver(false);
        qp.close();
        cq.close();

        assertThat(channel.getEvent(Duration.ZERO)).isNull();
        channel.close();
    }

    @Test
    @Covers("CQ-23")
    void acknowledgingMoreThanWasDeliveredIsRefused() {
        assertRefused(Errno.EINVAL, "1 completion events acknowledged, but only 0", () -> cq.acknowledgeEvents(1));
        assertRefused(Errno.EINVAL, "-1 is negative", () -> cq.acknowledgeEvents(-1));
    }
}
