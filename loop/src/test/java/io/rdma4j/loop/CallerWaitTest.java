// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Caller waits: application threads that sleep in place of the loop thread. The time changes only if a test changes it.
 */
class CallerWaitTest {
    private static final long LONG_NS = TimeUnit.HOURS.toNanos(1);

    private final AtomicLong time = new AtomicLong();
    private final NetLoop loop = new NetLoop(time::get, ProgressMode.AUTOMATIC);
    private final List<Card> cards = new ArrayList<>();

    /** A card in which one thread can sleep. */
    private static final class Card extends WaitableCard {
        final AtomicReference<@Nullable Thread> sleeper = new AtomicReference<>();
        final AtomicBoolean packet = new AtomicBoolean();
        final AtomicInteger looks = new AtomicInteger();
        final Queue<Thread> sleeps = new ConcurrentLinkedQueue<>();
        volatile boolean crowded;
        volatile @Nullable Thread receiver;

        Card(String name) {
            super(name);
        }

        void packet() {
            packet.set(true);
            link.release();
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice to) {
            looks.getAndIncrement();
            if (packet.getAndSet(false)) {
                receiver = Thread.currentThread();
            }
            return null;
        }

        @Override
        public void awaitReadable(long timeoutNs) {
            crowded |= !sleeper.compareAndSet(null, Thread.currentThread());
            sleeps.add(Thread.currentThread());
            link.acquireUninterruptibly();
            sleeper.set(null);
        }
    }

    private Card card(String name) {
        Card card = new Card(name);
        cards.add(card);
        loop.add(card.device);
        card.device.up();
        return card;
    }

    @AfterEach
    void close() {
        loop.close();
        cards.forEach(card -> card.device.unregister());
        cards.forEach(card -> assertThat(card.crowded).as("two at once").isFalse());
    }

    /** Blocks {@code awayNs} after the last wait, without a caller wait. */
    private void blockElsewhere(long awayNs) {
        time.addAndGet(awayNs);
        assertThat(loop.sleep().await(LONG_NS, () -> false)).isFalse();
        loop.sleep().afterBlocking();
    }

    private void becomePrompt() {
        blockElsewhere(LONG_NS);
        for (int i = 1; i < CallerWait.TIMES; i++) {
            blockElsewhere(CallerWait.PROMPT_NS);
        }
        time.addAndGet(CallerWait.PROMPT_NS);
    }

    /** A prompt thread that waits once; {@link #end} returns true if that was a caller wait. */
    private final class Sleeper {
        final AtomicBoolean over = new AtomicBoolean();
        final AtomicBoolean slept = new AtomicBoolean();
        final Thread thread;

        @SuppressWarnings("ReferenceEquality") // a thread is itself
        Sleeper(Card card) {
            thread = Thread.ofPlatform().start(() -> {
                becomePrompt();
                slept.set(loop.sleep().await(LONG_NS, over::get));
            });
            while (card.sleeper.get() != thread && thread.isAlive()) {
                Thread.onSpinWait();
            }
        }

        boolean end() throws InterruptedException {
            thread.join();
            return slept.get();
        }
    }

    @Test
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    void aThreadThatIsAlwaysBackAtOnceIsWokenByThePacketItselfAndReceivesIt() throws InterruptedException {
        Card card = card("eth0");
        loop.start("host");
        AtomicBoolean slept = new AtomicBoolean(true);
        AtomicBoolean received = new AtomicBoolean();
        BooleanSupplier over = () -> {
            received.compareAndSet(false, card.receiver == Thread.currentThread());
            return received.get();
        };
        Thread thread = Thread.ofPlatform().start(() -> {
            becomePrompt();
            // The loop thread, which is about to leave the device, may still receive a packet.
            while (slept.get() && !over.getAsBoolean()) {
                slept.set(loop.sleep().await(LONG_NS, over));
            }
        });
        while (thread.isAlive()) {
            card.packet();
            Thread.yield();
        }
        assertThat(slept).isTrue();
        assertThat(received).isTrue();
    }

    @Test
    void aThreadThatWasAwayForLongLeavesTheDeviceToTheWatcherUntilItWasPromptAgain() {
        Card card = card("eth0");
        loop.start("host");
        becomePrompt();
        assertThat(loop.sleep().await(LONG_NS, () -> true)).isTrue();
        blockElsewhere(CallerWait.PROMPT_NS + 1);
        blockElsewhere(CallerWait.PROMPT_NS);
        card.packet();
        while (card.receiver == null) {
            Thread.onSpinWait();
        }
        assertThat(card.receiver).isNotSameAs(Thread.currentThread());
    }

    @Test
    void aClientWithWorkKeepsThePromptThreadFromSleeping() {
        Card card = card("eth0");
        loop.start("host");
        BusyClient client = new BusyClient();
        loop.add(client);
        becomePrompt();
        while (!client.heard.contains("before")) {
            // The loop may have work that the loop thread has left.
            assertThat(loop.sleep().await(LONG_NS, () -> false)).isTrue();
        }
        assertThat(client.heard).endsWith("before", "after");
        assertThat(card.sleeps).doesNotContain(Thread.currentThread());
    }

    /** A client that always has work when an application thread is about to sleep. */
    private static final class BusyClient implements LoopClient {
        final Queue<String> heard = new ConcurrentLinkedQueue<>();

        @Override
        public boolean work(long nowNs) {
            return false;
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
        public boolean beforeSleep(int sleeper) {
            if (sleeper == NetLoop.DIRECT_SLEEPER) {
                heard.add("before");
            }
            return sleeper != NetLoop.DIRECT_SLEEPER;
        }

        @Override
        public void afterSleep(int sleeper) {
            if (sleeper == NetLoop.DIRECT_SLEEPER) {
                heard.add("after");
            }
        }

        @Override
        public void breakDown(Throwable error) {
            throw new AssertionError(error);
        }
    }

    @Test
    void whoeverBringsWhatTheThreadWaitsForWakesIt() throws InterruptedException {
        Card card = card("eth0");
        loop.start("host");
        Sleeper sleeper = new Sleeper(card);
        sleeper.over.set(true);
        loop.sleep().wake();
        assertThat(sleeper.end()).isTrue();
    }

    @Test
    void aSourceThatAnotherThreadSchedulesWakesIt() throws InterruptedException {
        Card card = card("eth0");
        loop.start("host");
        Sleeper sleeper = new Sleeper(card);
        card.packet.set(true);
        card.device.napi().schedule();
        assertThat(sleeper.end()).isTrue();
        assertThat(card.receiver).isNotNull();
    }

    @Test
    void aDeviceThatGoesLetsItGo() throws InterruptedException {
        Card card = card("eth0");
        loop.start("host");
        Sleeper sleeper = new Sleeper(card);
        loop.remove(card.device);
        assertThat(card.sleeper.get()).isNull();
        assertThat(sleeper.end()).isTrue();
        blockElsewhere(CallerWait.PROMPT_NS);
    }

    @Test
    void theLoopsEndLetsItGo() throws InterruptedException {
        Card card = card("eth0");
        loop.start("host");
        Sleeper sleeper = new Sleeper(card);
        loop.close();
        assertThat(sleeper.end()).isTrue();
    }

    @Test
    void oneThreadHasThePlaceAndOthersSleepElsewhereWhileItIsUsed() throws InterruptedException {
        Card card = card("eth0");
        loop.start("host");
        Sleeper sleeper = new Sleeper(card);
        for (int i = 0; i < 2 * CallerWait.TIMES; i++) {
            blockElsewhere(CallerWait.PROMPT_NS);
        }
        card.packet();
        assertThat(sleeper.end()).isTrue();
        blockElsewhere(1);
    }

    @Test
    void whoeverSleptInOneOfTwoDevicesWouldMissTheOther() {
        card("eth0");
        card("eth1");
        loop.start("host");
        becomePrompt();
        blockElsewhere(CallerWait.PROMPT_NS);
    }

    @Test
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    void aThreadThatWasWokenSoonLooksForTheNextPacketBeforeItSleeps() throws InterruptedException {
        Card card = card("eth0");
        loop.start("host");
        AtomicBoolean slept = new AtomicBoolean();
        AtomicBoolean looked = new AtomicBoolean();
        Thread thread = Thread.ofPlatform().start(() -> {
            becomePrompt();
            slept.set(loop.sleep().await(LONG_NS, () -> false));
            int seen = card.looks.get();
            // The time does not advance, so without this condition the thread would poll for ever.
            looked.set(loop.sleep().await(LONG_NS, () -> card.looks.get() > seen + 100));
        });
        while (card.sleeper.get() != thread && thread.isAlive()) {
            Thread.onSpinWait();
        }
        card.packet();
        thread.join();
        assertThat(slept).isTrue();
        assertThat(looked).isTrue();
        assertThat(card.sleeps).containsOnlyOnce(thread);
    }

    @Test
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    void whatIsDoneWhileAThreadLooksMayTakeTheDeviceAway() throws InterruptedException {
        Card card = card("eth0");
        loop.start("host");
        AtomicReference<@Nullable Thread> remover = new AtomicReference<>();
        AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();
        loop.add(new LoopClient() {
            @Override
            public boolean work(long nowNs) {
                if (remover.compareAndSet(Thread.currentThread(), null)) {
                    loop.remove(card.device);
                }
                return false;
            }

            @Override
            public boolean isIdle() {
                return remover.get() != Thread.currentThread();
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
                broken.set(error);
            }
        });
        AtomicBoolean removed = new AtomicBoolean();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            becomePrompt();
            loop.sleep().await(LONG_NS, () -> false);
            remover.set(Thread.currentThread());
            loop.sleep().await(LONG_NS, () -> remover.get() == null);
            removed.set(remover.get() == null);
        });
        while (card.sleeper.get() != thread && thread.isAlive()) {
            Thread.onSpinWait();
        }
        card.packet();
        assertThat(thread.join(Duration.ofSeconds(20))).as("it has come back").isTrue();
        assertThat(removed).isTrue();
        assertThat(broken).hasNullValue();
    }

    @Test
    void soDoesTheWatcherUntilThatTakesLongerThanASleep() {
        Card card = card("eth0");
        loop.start("host");
        card.packet();
        while (card.receiver == null) {
            Thread.onSpinWait();
        }
        int seen = card.looks.get();
        while (card.looks.get() < seen + 100) {
            Thread.onSpinWait();
        }
        int sleeps = card.sleeps.size();
        assertThat(card.sleeper.get()).isNull();
        time.addAndGet(BusyPoll.LONGEST_NS);
        while (card.sleeps.size() == sleeps) {
            Thread.onSpinWait();
        }
        assertThat(card.sleeps).hasSize(sleeps + 1);
    }

    @Test
    void aVirtualThreadWouldHoldItsCarrier() throws InterruptedException {
        Card card = card("eth0");
        loop.start("host");
        AtomicBoolean slept = new AtomicBoolean(true);
        Thread.ofVirtual()
                .start(() -> {
                    becomePrompt();
                    slept.set(loop.sleep().await(LONG_NS, () -> false));
                })
                .join();
        assertThat(slept).isFalse();
        assertThat(card.crowded).isFalse();
    }
}
