// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class CpuTest {
    /** There are more threads than carriers: the holder of the lock must get a carrier again after it lost its own. */
    @Test
    void virtualThreadsThatWaitForALockLetItsHolderComeBack() throws InterruptedException {
        SpinLock lock = new SpinLock();
        CountDownLatch held = new CountDownLatch(1);
        Thread holder = Thread.startVirtualThread(() -> {
            lock.lock();
            held.countDown();
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            lock.unlock();
        });
        held.await();
        List<Thread> waiters = new ArrayList<>();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            waiters.add(Thread.startVirtualThread(() -> {
                lock.lock();
                lock.unlock();
            }));
        }
        assertThat(holder.join(Duration.ofSeconds(30))).isTrue();
        for (Thread waiter : waiters) {
            assertThat(waiter.join(Duration.ofSeconds(30))).isTrue();
        }
    }
}
