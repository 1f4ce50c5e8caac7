// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client whose work does not arrive through the loop, and a loop thread that falls asleep. The time does not advance:
 * a sleep that no thread ends lasts until the test is over.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LoopClientSleepTest {
    private static final int LOOKS = 100;

    private final NetLoop loop = new NetLoop(() -> 0, ProgressMode.AUTOMATIC);
    private final Card card = new Card();
    private final Client client = new Client();

    /** A card; the test chooses what happens just before a thread sleeps in it. */
    private static final class Card extends WaitableCard {
        final CountDownLatch slept = new CountDownLatch(1);
        volatile Runnable beforeAwait = () -> {};

        Card() {
            super("eth0");
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice to) {
            return null;
        }

        @Override
        public void awaitReadable(long timeoutNs) {
            slept.countDown();
            beforeAwait.run();
            link.acquireUninterruptibly();
        }
    }

    /** A client with work for which no doorbell is set. */
    private static final class Client implements LoopClient {
        final AtomicBoolean pending = new AtomicBoolean();
        final CountDownLatch worked = new CountDownLatch(1);
        final CountDownLatch back = new CountDownLatch(1);
        final AtomicInteger asked = new AtomicInteger();
        volatile Runnable atSleep = () -> {};
        volatile boolean awaited;

        @Override
        public boolean work(long nowNs) {
            boolean found = pending.getAndSet(false);
            if (found) {
                worked.countDown();
            }
            return found;
        }

        @Override
        public boolean isIdle() {
            return !pending.get();
        }

        @Override
        public boolean beforeSleep(int sleeper) {
            atSleep.run();
            return !pending.get();
        }

        @Override
        public void afterSleep(int sleeper) {
            if (worked.getCount() == 0) {
                back.countDown();
            }
        }

        @Override
        public boolean isAwaited() {
            asked.getAndIncrement();
            return awaited;
        }

        @Override
        public boolean hasMore() {
            return false;
        }

        @Override
        public boolean isHeldBack() {
            return false;
        }

        @Override
        public void breakDown(Throwable error) {
            throw new AssertionError(error);
        }
    }

    private void start() {
        loop.add(client);
        loop.add(card.device);
        card.device.up();
        loop.start("host");
    }

    @AfterEach
    void close() {
        loop.close();
        card.device.unregister();
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void workThatComesWhileTheWatcherAnnouncesItsSleepIsDoneWithoutASleep() throws InterruptedException {
        AtomicBoolean first = new AtomicBoolean(true);
        client.atSleep = () -> client.pending.compareAndSet(false, first.getAndSet(false));
        start();
        await(client.worked);
    }

    @Test
    void workThatComesAfterTheLastLookWakesTheWatcher() throws InterruptedException {
        AtomicBoolean first = new AtomicBoolean(true);
        card.beforeAwait = () -> {
            if (first.getAndSet(false)) {
                client.pending.set(true);
                Thread.ofPlatform().start(loop::wake);
            }
        };
        start();
        await(client.worked);
        await(client.back);
    }

    @Test
    void theWatcherGoesOnLookingWhileSomebodyPollsForAClient() throws InterruptedException {
        client.awaited = true;
        start();
        while (client.asked.get() < LOOKS) {
            Thread.onSpinWait();
        }
        assertThat(card.slept.getCount()).as("has not slept").isEqualTo(1);
        client.awaited = false;
        await(card.slept);
    }
}
