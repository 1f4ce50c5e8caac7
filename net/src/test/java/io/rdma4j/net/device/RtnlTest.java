// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.LogCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RtnlTest {
    private final List<String> log = new ArrayList<>();
    private final Rtnl rtnl = new Rtnl(() -> log.add("unlocked"));
    private boolean inside;

    @Test
    void queuedWorkRunsAtOnceWhileTheLockIsFree() {
        rtnl.queue(() -> log.add(rtnl.isHeld() ? "locked" : "free"));
        assertThat(log).containsExactly("locked", "unlocked");
    }

    @Test
    void queuedWorkOfTheHolderRunsWhenItReleasesTheLock() {
        rtnl.run(() -> {
            rtnl.run(() -> rtnl.queue(() -> log.add("first")));
            rtnl.queue(() -> log.add("second"));
            log.add("held");
        });
        assertThat(log).startsWith("held", "first", "second").contains("unlocked");
    }

    @Test
    void queuedWorkOfAnotherThreadRunsInTheThreadThatReleasesTheLock() throws InterruptedException {
        CountDownLatch queued = new CountDownLatch(1);
        List<Thread> workers = new ArrayList<>();
        Thread other = new Thread(() -> {
            rtnl.queue(() -> workers.add(Thread.currentThread()));
            queued.countDown();
        });
        rtnl.run(() -> {
            other.start();
            await(queued);
            assertThat(workers).isEmpty();
        });
        assertThat(workers).containsExactly(Thread.currentThread());
        other.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anExceptionOfQueuedWorkIsLogged() {
        LogCapture logged = new LogCapture(Rtnl.class.getName());
        try {
            rtnl.queue(() -> {
                throw new RdmaException(Errno.EINVAL, "no");
            });
            assertThat(logged.lines()).hasSize(1);
        } finally {
            logged.close();
        }
        assertThat(rtnl.isHeld()).isFalse();
    }

    @Test
    void theOwnerOfALoopDoesNotWaitForTheLock() {
        rtnl.precede(() -> inside);
        rtnl.run(() -> log.add("outside"));
        inside = true;
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> rtnl.run(() -> log.add("never")))
                .returns(Errno.EDEADLK, RdmaException::errno);
        assertThat(rtnl.tryRun(() -> rtnl.run(() -> log.add("tried")))).isTrue();
        assertThat(log).containsExactly("outside", "unlocked", "tried", "unlocked");
    }
}
