// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.Logs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An Error thrown in the loop takes only the client or device that has thrown it out of service. */
class LoopErrorTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    static List<Supplier<Error>> errors() {
        return List.of(
                () -> new InternalError("a fault occurred in an unsafe memory access operation"),
                () -> new OutOfMemoryError("Java heap space"),
                () -> new AssertionError("unexpected"),
                StackOverflowError::new);
    }

    /** A client that has work, or throws, when the test sets this. */
    private static final class Client implements LoopClient {
        final AtomicInteger turns = new AtomicInteger();
        final List<Throwable> broken = new ArrayList<>();
        volatile boolean hasWork;
        volatile @Nullable Supplier<? extends Throwable> throwing;
        volatile @Nullable Thread worker;

        @Nullable
        NetDevice used;

        boolean breaksAgain;

        @Override
        public boolean work(long nowNs) {
            if (hasWork) {
                hasWork = false;
                worker = Thread.currentThread();
                turns.incrementAndGet();
                Supplier<? extends Throwable> supplier = throwing;
                if (supplier != null) {
                    sneak(supplier.get());
                }
            }
            return false;
        }

        @Override
        public boolean hasMore() {
            return hasWork;
        }

        @Override
        public boolean isHeldBack() {
            return false;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // a device is itself
        public boolean uses(Object device) {
            return device == used;
        }

        @Override
        public synchronized void breakDown(Throwable error) {
            broken.add(error);
            if (breaksAgain) {
                throw new InternalError("again");
            }
        }

        synchronized boolean isBroken() {
            return !broken.isEmpty();
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void sneak(Throwable error) throws T {
        throw (T) error;
    }

    private static NetLoop automatic() {
        return new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(condition.getAsBoolean()).as(what).isTrue();
    }

    private static boolean isWatcher(@Nullable Thread thread) {
        return thread != null && thread.getName().startsWith("rdma4j-errors") && thread.isAlive();
    }

    @ParameterizedTest
    @MethodSource("errors")
    void theWatcherGoesOnAfterAnErrorWhileTheProgramSleeps(Supplier<Error> error) {
        try (NetLoop loop = automatic()) {
            Client bad = new Client();
            Client good = new Client();
            loop.add(bad);
            loop.add(good);
            loop.start("errors");
            bad.throwing = error;
            bad.hasWork = true;
            await("the client with the error is out of service", bad::isBroken);
            assertThat(isWatcher(bad.worker)).isTrue();
            good.hasWork = true;
            await("the other client has its turn", () -> good.turns.get() == 1);
            assertThat(isWatcher(good.worker)).isTrue();
            assertThat(good.isBroken()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("errors")
    void noErrorIsThrownOutOfAPollOrAPost(Supplier<Error> error) {
        NetLoop loop = automatic();
        Client bad = new Client();
        Client good = new Client();
        loop.add(bad);
        loop.add(good);
        bad.throwing = error;
        bad.hasWork = true;
        good.hasWork = true;
        loop.poll();
        assertThat(bad.broken).hasSize(1);
        bad.hasWork = true;
        loop.ring();
        bad.hasWork = true;
        assertThat(loop.enter()).isTrue();
        loop.workAndLeave();
        assertThat(bad.broken).hasSize(3).doesNotHaveAnyElementsOfTypes(RuntimeException.class);
        assertThat(good.broken).isEmpty();
        assertThat(good.turns).hasValue(1);
        assertThat(loop.enter()).as("the loop is free").isTrue();
        loop.workAndLeave();
    }

    @Test
    void aClientThatFailsAgainWhileItGoesOutOfServiceDisturbsNoOther() {
        NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
        Client bad = new Client();
        Client good = new Client();
        loop.add(bad);
        loop.add(good);
        bad.breaksAgain = true;
        bad.throwing = AssertionError::new;
        bad.hasWork = true;
        good.hasWork = true;
        assertThat(Logs.of(LoopErrors.class, () -> loop.progress(0)))
                .containsExactly(
                        "SEVERE a client of the loop has failed, and has failed again while it went out of service");
        assertThat(good.turns).hasValue(1);
    }

    @Test
    void aClientThatThrowsWithoutEndHasNoTurnAnyMore() {
        NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
        Client bad = new Client();
        loop.add(bad);
        bad.throwing = AssertionError::new;
        List<String> log = Logs.of(LoopErrors.class, () -> {
            for (int i = 0; i < 2 * LoopClients.MAX_ERRORS; i++) {
                bad.hasWork = true;
                loop.progress(i);
            }
        });
        assertThat(bad.turns).hasValue(LoopClients.MAX_ERRORS);
        assertThat(log).containsExactly("SEVERE a client of the loop has thrown 64 errors and has no turn any more");
    }

    @Test
    void aTimerThatThrowsEndsTheServiceOfItsClient() {
        NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
        Client bad = new Client();
        Client good = new Client();
        loop.add(bad);
        loop.add(good);
        AtomicInteger fired = new AtomicInteger();
        loop.schedule(new Timed() {
            @Override
            protected long nextDeadlineNs() {
                return 10;
            }

            @Override
            protected void onDeadline(long nowNs) {
                fired.incrementAndGet();
                throw new InternalError();
            }

            @Override
            protected LoopClient client() {
                return bad;
            }
        });
        loop.progress(20);
        loop.progress(30);
        assertThat(fired).hasValue(1);
        assertThat(bad.broken).hasSize(1);
        assertThat(good.broken).isEmpty();
        assertThat(loop.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void aDriverThatThrowsEndsTheServiceOfTheClientsOfItsDevice() {
        NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
        NetDevice broken = NetLoopTest.device("eth0");
        Napi napi = broken.napis()
                .add(
                        _ -> {
                            throw new InternalError();
                        },
                        1);
        napi.enable();
        loop.add(broken);
        NetDevice sound = NetLoopTest.device("eth1");
        loop.add(sound);
        Client bad = new Client();
        bad.used = broken;
        Client good = new Client();
        good.used = sound;
        loop.add(bad);
        loop.add(good);
        assertThat(Logs.of(LoopErrors.class, () -> loop.progress(0)))
                .containsExactly("SEVERE eth0: the driver has failed; the device is not polled any more");
        assertThat(napi.isEnabled()).isFalse();
        assertThat(bad.broken).hasSize(1);
        assertThat(good.broken).isEmpty();
    }

    /** The loop thread sleeps in a system call of the driver, which may throw as well. */
    @Test
    void aDriverWhoseSleepThrowsLeavesTheWatcherAlive() {
        NetDeviceOps ops = new NetDeviceOps() {
            @Override
            public NetdevTx startXmit(SkBuff skb, NetDevice device) {
                skb.free();
                return NetdevTx.OK;
            }

            @Override
            public @Nullable SkBuff pollReceive(NetDevice device) {
                return null;
            }

            @Override
            public boolean hasInterrupt() {
                return true;
            }

            @Override
            public void awaitReadable(long timeoutNs) {
                throw new AssertionError("unexpected");
            }
        };
        NetDevice device = NetLoopTest.device("eth0", ops);
        assertThat(device.linkType()).isEqualTo(LinkType.IP);
        device.up();
        try (NetLoop loop = automatic()) {
            Client bad = new Client();
            bad.used = device;
            Client good = new Client();
            loop.add(bad);
            loop.add(good);
            loop.add(device);
            loop.start("errors");
            await("the device's client is out of service", bad::isBroken);
            good.hasWork = true;
            await("the other client has its turn", () -> good.turns.get() == 1);
            assertThat(isWatcher(good.worker)).isTrue();
            assertThat(good.isBroken()).isFalse();
            loop.remove(device);
        }
    }
}
