// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device goes down while a thread runs its loop. */
@Timeout(60)
class DeviceDownTest {
    private static final long GRACE_MS = 50;

    private final NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
    private final Driver driver = new Driver();
    private final NetDevice device = NetLoopTest.device("eth0", driver);

    /** A link without packets; a poll waits until it is released. */
    private final class Driver implements NetDeviceOps {
        final CountDownLatch polling = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        final CountDownLatch stopped = new CountDownLatch(1);
        final AtomicInteger polls = new AtomicInteger();
        final AtomicBoolean isPolling = new AtomicBoolean();
        final AtomicBoolean overlapped = new AtomicBoolean();
        final AtomicBoolean stoppedInside = new AtomicBoolean();

        @Override
        public NetdevTx startXmit(SkBuff skb, NetDevice from) {
            skb.free();
            return NetdevTx.OK;
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice to) {
            polls.incrementAndGet();
            isPolling.set(true);
            polling.countDown();
            await(release);
            isPolling.set(false);
            return null;
        }

        @Override
        public void stop(NetDevice down) {
            overlapped.set(isPolling.get());
            stoppedInside.set(loop.isInside());
            stopped.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() {
        driver.release.countDown();
        device.unregister();
    }

    @Test
    void theDriverStopsWhileItsCallerOwnsTheLoop() {
        loop.add(device);
        device.up();
        device.down();
        assertThat(driver.stoppedInside).isTrue();
    }

    @Test
    void aDeviceOfTheOwnerOfTheLoopGoesDownAtOnce() {
        loop.add(device);
        device.up();
        loop.exclusively(device::down);
        assertThat(driver.stoppedInside).isTrue();
    }

    @Test
    void aDeviceWithoutALoopGoesDownAtOnce() {
        device.up();
        device.down();
        assertThat(driver.stopped.getCount()).isZero();
    }

    /** The poll ends, and the device has not stopped before; no poll begins afterwards. */
    @Test
    void aDeviceGoesDownAfterThePoll() throws InterruptedException {
        loop.add(device);
        device.up();
        Thread runner = start(() -> loop.progress(0));
        await(driver.polling);
        Thread changer = start(device::down);
        while (device.isUp()) {
            Thread.onSpinWait(); // until the change has begun
        }
        assertThat(driver.stopped.await(GRACE_MS, TimeUnit.MILLISECONDS)).isFalse();
        driver.release.countDown();
        changer.join();
        runner.join();
        assertThat(driver.overlapped).isFalse();
        assertThat(driver.stopped.getCount()).isZero();
        device.napi().schedule();
        int polls = driver.polls.get();
        loop.progress(1);
        assertThat(driver.polls).hasValue(polls);
    }

    @Test
    void aContextIsRemovedAfterItsPoll() throws InterruptedException {
        removedAfterItsPoll(napi -> device.napis().remove(napi));
    }

    @Test
    void aContextIsDisabledAfterItsPoll() throws InterruptedException {
        removedAfterItsPoll(Napi::disable);
    }

    private void removedAfterItsPoll(Consumer<Napi> removal) throws InterruptedException {
        List<String> log = new ArrayList<>();
        Napi napi = device.napis()
                .add(
                        _ -> {
                            driver.polling.countDown();
                            await(driver.release);
                            log.add("polled");
                            return 0;
                        },
                        Napi.POLL_WEIGHT);
        napi.enable();
        loop.add(device);
        napi.schedule();
        Thread runner = start(() -> loop.progress(0));
        await(driver.polling);
        CountDownLatch removed = new CountDownLatch(1);
        Thread changer = start(() -> {
            removal.accept(napi);
            removed.countDown();
        });
        assertThat(removed.await(GRACE_MS, TimeUnit.MILLISECONDS)).isFalse();
        driver.release.countDown();
        changer.join();
        log.add("removed");
        runner.join();
        loop.progress(1);
        assertThat(log).containsExactly("polled", "removed");
    }

    private static Thread start(Runnable task) {
        return Thread.ofPlatform().daemon().start(task);
    }
}
