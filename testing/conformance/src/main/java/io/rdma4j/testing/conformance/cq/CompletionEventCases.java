// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.cq;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting for completion events: {@code test_cq_events.CqEventsTestCase} of rdma-core. */
public abstract class CompletionEventCases extends ConformanceCases {
    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration A_WHILE = Duration.ofMillis(30);
    private static final int ROUND_TRIPS = 30;

    private CompletionChannel channel;
    private QpPair pair;

    protected CompletionEventCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    /** Creates a connection whose second side has a channel for both of its queues. */
    @BeforeEach
    void connect() {
        channel = closing(target().second().createCompletionChannel());
        pair = new QpPair(
                endpoint(target().first(), EndpointSetup.DEFAULT),
                endpoint(target().second(), EndpointSetup.DEFAULT.channel(channel)));
        pair.connect(LinkSetup.DEFAULT);
    }

    private CompletionQueue cq() {
        return pair.b().receiveCq;
    }

    private void message(boolean solicited) {
        pair.b().postReceive(1, 0, 8);
        var batch = pair.a().qp.startSend().wrId(2).signaled();
        if (solicited) {
            batch.solicited();
        }
        batch.send().sge(pair.a().mr.lkey(), pair.a().mr.address(), 8).complete();
        pair.a().awaitSend();
    }

    /** A deviation: libibverbs waits for the acknowledgements, in a call that may never return. */
    @Test
    @Covers("CQ-18")
    void aQueueWithEventsThatAreNotAcknowledgedIsNotDestroyed() throws InterruptedException {
        cq().requestNotification(false);
        message(false);
        assertThat(awaitValue("an event", () -> channel.getEvent(AT_ONCE))).isSameAs(cq());
        assertRefused(Errno.EBUSY, cq()::close, cq(), "unacknowledged");
        pair.b().qp.close();
        assertRefused(Errno.EBUSY, cq()::close, cq(), "1 unacknowledged completion events");
        cq().acknowledgeEvents(1);
        cq().close();
        assertRefused(Errno.EINVAL, () -> cq().poll(1));
    }

    private void assertEvent() throws InterruptedException {
        assertThat(awaitValue("an event", () -> channel.getEvent(AT_ONCE))).isSameAs(cq());
        cq().acknowledgeEvents(1);
        assertThat(channel.getEvent(AT_ONCE)).isNull();
    }

    private void assertNoEvent() throws InterruptedException {
        assertThat(channel.getEvent(AT_ONCE)).isNull();
    }

    @Test
    @Covers({"CQ-11", "CQ-12", "CQ-22"})
    void aRequestGivesOneEventAndNoMore() throws InterruptedException {
        cq().requestNotification(false);
        message(false);
        assertEvent();
        message(false);
        assertNoEvent();
        cq().requestNotification(false);
        message(false);
        assertEvent();
    }

    @Test
    @Covers({"CQ-13", "WR-26"})
    void aRequestForSolicitedCompletionsPassesOverOthers() throws InterruptedException {
        cq().requestNotification(true);
        message(false);
        assertNoEvent();
        message(true);
        assertEvent();
    }

    @Test
    void aFailedRequestCountsAsSolicited() throws InterruptedException {
        cq().requestNotification(true);
        pair.b().postReceive(1, 0, 8);
        pair.b().qp.modify(Endpoint.only(QpState.ERR));
        assertThat(pair.b().awaitReceives(1).getFirst().status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertEvent();
    }

    @Test
    void aRequestForAllIsNotWeakenedByALaterOneForSolicitedOnes() throws InterruptedException {
        cq().requestNotification(false);
        cq().requestNotification(true);
        message(false);
        assertEvent();
    }

    @Test
    @Covers({"CQ-14", "CQ-25"})
    void completionsThatAreThereGiveNoEventButAHint() throws InterruptedException {
        message(false);
        await("the completion", () -> cq().requestNotification(false));
        assertNoEvent();
        pair.b().awaitReceive();
        assertThat(cq().requestNotification(false)).isFalse();
        message(false);
        assertEvent();
    }

    @Test
    void queuesOnOneChannelHaveEventsOfTheirOwn() throws InterruptedException {
        CompletionQueue sends = pair.b().sendCq;
        cq().requestNotification(false);
        sends.requestNotification(false);
        message(false);
        assertEvent();
        pair.a().postReceive(3, 0, 8);
        pair.b().postSend(4, 0, 8);
        pair.a().awaitReceive();
        pair.b().awaitSend();
        assertThat(channel.getEvent(TIMEOUT)).isSameAs(sends);
        sends.acknowledgeEvents(1);
    }

    @Test
    @Covers("CQ-23")
    void eventsMustBeAcknowledgedBeforeTheQueueIsClosed() throws InterruptedException {
        cq().requestNotification(false);
        message(false);
        assertThat(channel.getEvent(TIMEOUT)).isSameAs(cq());
        pair.b().qp.close();
        assertRefused(Errno.EBUSY, cq()::close);
        assertRefused(Errno.EINVAL, () -> cq().acknowledgeEvents(2));
        assertRefused(Errno.EINVAL, () -> cq().acknowledgeEvents(-1));
        cq().acknowledgeEvents(1);
        cq().close();
    }

    @Test
    void anEventThatNobodyFetchedGoesWithItsQueue() throws InterruptedException {
        cq().requestNotification(false);
        message(false);
        pair.b().qp.close();
        cq().close();
        assertNoEvent();
    }

    @Test
    void waitingEndsWhenTheTimeIsOver() throws InterruptedException {
        long before = System.nanoTime();
        assertThat(channel.getEvent(A_WHILE)).isNull();
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(A_WHILE.toNanos());
    }

    @Test
    void waitingEndsWithAnInterrupt() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        Thread sleeper = Thread.ofPlatform().start(() -> {
            assertThatThrownBy(channel::getEvent).isInstanceOf(InterruptedException.class);
            ended.countDown();
        });
        sleeper.interrupt();
        assertThat(ended.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void waitingEndsWhenTheChannelIsClosed() throws Exception {
        CompletionChannel lonely = context().createCompletionChannel();
        FutureTask<Object> sleeping = new FutureTask<>(lonely::getEvent);
        Thread sleeper = Thread.ofPlatform().start(sleeping);
        await("the thread to sleep", () -> sleeper.getState() == Thread.State.TIMED_WAITING);
        lonely.close();
        assertThatThrownBy(() -> sleeping.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    @Covers({"CQ-15", "DEV-45"})
    void anEventComesOnceSoManyCompletionsWait() throws InterruptedException {
        require(DeviceCapability.N_NOTIFY_CQ);
        assertRefused(Errno.EINVAL, () -> cq().requestNotificationAt(0));
        assertRefused(Errno.EINVAL, () -> cq().requestNotificationAt(cq().capacity() + 1));
        cq().requestNotificationAt(3);
        message(false);
        message(false);
        assertNoEvent();
        message(false);
        assertEvent();
        message(false);
        assertNoEvent();
    }

    /** {@code ibv_modify_cq}: events are moderated by count, then not moderated. */
    @Test
    @Covers("CQ-9")
    void moderatedEventsAreFewer() throws InterruptedException {
        supported(() -> {
            cq().moderate(3, 0);
            return cq();
        });
        for (int round = 0; round < 2; round++) {
            cq().requestNotification(false);
            message(false);
            message(false);
            assertNoEvent();
            message(false);
            assertEvent();
        }
        cq().moderate(0, 0);
        cq().requestNotification(false);
        message(false);
        assertEvent();
        assertRefused(Errno.EINVAL, () -> cq().moderate(1 << 16, 0));
        assertRefused(Errno.EINVAL, () -> cq().moderate(0, -1));
    }

    /** A moderated event arrives when its period has elapsed, without any other activity. */
    @Test
    @Covers("CQ-9")
    void aModeratedEventIsNotHeldBackForEver() throws InterruptedException {
        supported(() -> {
            cq().moderate(1000, 2000);
            return cq();
        });
        cq().requestNotification(false);
        message(false);
        assertEvent();
    }

    /** {@code test_cq_events_ud}. */
    @Test
    @Covers({"CQ-20", "CQ-22"})
    void datagramsWakeTheirReceiver() throws InterruptedException {
        QpPair datagrams = new QpPair(
                endpoint(target().first(), EndpointSetup.DEFAULT.type(QpType.UD)),
                endpoint(
                        target().second(), EndpointSetup.DEFAULT.type(QpType.UD).channel(channel)));
        datagrams.connect(LinkSetup.DEFAULT);
        Endpoint a = datagrams.a();
        Endpoint b = datagrams.b();
        AddressHandle toB = closing(a.pd.createAddressHandle(a.pathTo(b)));
        for (int i = 0; i < ROUND_TRIPS; i++) {
            b.postReceive(i, 0, 100);
            b.receiveCq.requestNotification(false);
            a.qp.startSend()
                    .signaled()
                    .send()
                    .destination(toB, b.qp.qpn(), Transitions.QKEY)
                    .complete();
            a.awaitSend();
            assertThat(awaitValue("an event", () -> channel.getEvent(AT_ONCE))).isSameAs(b.receiveCq);
            b.receiveCq.acknowledgeEvents(1);
            assertThat(b.awaitReceive().wrId()).isEqualTo(i);
        }
    }

    /** {@code test_cq_events_rc}: both sides sleep, no thread polls an empty queue. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Covers({"CQ-20", "CQ-22", "CQ-25"})
    void messagesGoOnWhileEverybodySleeps(boolean virtualThreads) throws Exception {
        CompletionChannel first = closing(target().first().createCompletionChannel());
        Thread.Builder threads = virtualThreads ? Thread.ofVirtual() : Thread.ofPlatform();
        assertMessagesGoOn(
                new QpPair(
                        endpoint(target().first(), EndpointSetup.DEFAULT.channel(first)),
                        endpoint(target().second(), EndpointSetup.DEFAULT.channel(channel))),
                new Talker(threads, cq -> sleepFor(cq, first)),
                new Talker(threads, cq -> sleepFor(cq, channel)));
    }

    @ParameterizedTest
    @EnumSource(WaitStrategy.class)
    void messagesGoOnHoweverThreadsWaitForThem(WaitStrategy strategy) throws Exception {
        Waiting waiting = cq -> waitFor(cq, strategy);
        assertMessagesGoOn(
                new QpPair(
                        endpoint(target().first(), EndpointSetup.DEFAULT),
                        endpoint(target().second(), EndpointSetup.DEFAULT)),
                new Talker(Thread.ofPlatform(), waiting),
                new Talker(Thread.ofVirtual(), waiting));
    }

    /** Waits for one successful completion and takes it from the queue. */
    private interface Waiting {
        void await(CompletionQueue cq) throws InterruptedException;
    }

    /** Kind of thread of one side, and how that thread waits. */
    private record Talker(Thread.Builder thread, Waiting waiting) {}

    /** The first side of the pair sends requests, the second side sends replies. */
    private void assertMessagesGoOn(QpPair pair, Talker first, Talker second) throws Exception {
        require(Capability.UNATTENDED_PROGRESS);
        pair.connect(LinkSetup.DEFAULT);
        pair.a().postReceive(0, 0, 64);
        pair.b().postReceive(0, 0, 64);
        FutureTask<Boolean> asker = new FutureTask<>(() -> roundTrips(pair.a(), first.waiting, true));
        FutureTask<Boolean> answerer = new FutureTask<>(() -> roundTrips(pair.b(), second.waiting, false));
        second.thread.start(answerer);
        first.thread.start(asker);
        assertThat(asker.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(answerer.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private static boolean roundTrips(Endpoint side, Waiting waiting, boolean begins) throws InterruptedException {
        for (int i = 0; i < ROUND_TRIPS; i++) {
            if (begins) {
                side.postSend(i, 64, 64);
            }
            waiting.await(side.receiveCq);
            side.postReceive(i, 0, 64);
            if (!begins) {
                side.postSend(i, 64, 64);
            }
            waiting.await(side.sendCq);
        }
        return true;
    }

    private static void waitFor(CompletionQueue cq, WaitStrategy strategy) throws InterruptedException {
        assertThat(cq.poll(1, TIMEOUT, strategy))
                .extracting(WorkCompletion::status)
                .containsExactly(WcStatus.SUCCESS);
    }

    /** The loop of the manual page: request notification, poll once more, wait, acknowledge. */
    private static void sleepFor(CompletionQueue cq, CompletionChannel channel) throws InterruptedException {
        while (true) {
            cq.requestNotification(false);
            var completions = cq.poll(1);
            if (!completions.isEmpty()) {
                assertThat(completions.getFirst().status()).isEqualTo(WcStatus.SUCCESS);
                return;
            }
            Objects.requireNonNull(channel.getEvent(TIMEOUT), "an event in time")
                    .acknowledgeEvents(1);
        }
    }
}
