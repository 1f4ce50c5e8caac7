// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Interrupt vectors, and the workers that they wake. */
class InterruptsTest {
    private static final long TIMEOUT_S = 20;

    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final Interrupts interrupts = loop.interrupts();
    private final List<Card> cards = new ArrayList<>();

    /** A card in which a thread can sleep. */
    private static final class Card extends WaitableCard {
        final Semaphore polled = new Semaphore(0);
        volatile int waiting;

        Card(String name) {
            super(name);
        }

        void packet() throws InterruptedException {
            waiting = 1;
            link.release();
            assertThat(polled.tryAcquire(TIMEOUT_S, TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice to) {
            if (waiting == 1) {
                waiting = 0;
                link.drainPermits();
                polled.release();
            }
            return null;
        }

        @Override
        public void awaitReadable(long timeoutNs) {
            try {
                if (link.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS)) {
                    link.release();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
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
    }

    private static void assertRefused(Errno errno, Runnable wrong) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(wrong::run)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers({"NDEV-68", "NDEV-72"})
    void aDeviceThatCanBeWaitedForHasAVectorOfItsOwnWhileALoopDrivesIt() {
        Card first = card("eth0");
        Card second = card("eth1");
        assertThat(first.device.irq()).isEqualTo(1);
        assertThat(second.device.irq()).isEqualTo(2);
        assertThat(interrupts.vector(2).handlers()).containsExactly("eth1");
        assertThat(interrupts.vector(2).isExclusive()).isTrue();
        assertRefused(Errno.EBUSY, () -> interrupts.request(2, _ -> true, false, "another", this));
        assertRefused(Errno.EINVAL, () -> interrupts.request(2, _ -> true, true, "another", this));
        loop.start("host");
        loop.remove(second.device);
        assertThat(second.device.irq()).isZero();
        assertRefused(Errno.EINVAL, () -> interrupts.vector(2));
        assertThat(NetLoopTest.device("dummy0").irq()).isZero();
    }

    @Test
    @Covers({"NDEV-69", "NDEV-70"})
    void aHandlerIsCalledFromWhenItIsRegisteredUntilItIsRemoved() {
        InterruptVector vector = interrupts.allocate(true);
        List<Integer> handled = new ArrayList<>();
        vector.handle(0);
        assertThat(vector.spurious()).isEqualTo(1);
        interrupts.request(vector.number(), handled::add, false, "nic", this);
        vector.handle(0);
        assertThat(handled).containsExactly(vector.number());
        assertThat(vector.spurious()).isEqualTo(1);
        interrupts.free(vector.number(), this);
        vector.handle(0);
        assertThat(handled).hasSize(1);
        assertThat(vector.handlers()).isEmpty();
        interrupts.request(vector.number(), handled::add, false, "nic", this);
    }

    @Test
    @Covers({"NDEV-71", "NDEV-72"})
    void aLineIsSharedIfAllAgreeAndAMessageSignalledInterruptNever() {
        InterruptVector line = interrupts.allocate(false);
        List<String> called = new ArrayList<>();
        interrupts.request(line.number(), _ -> !called.add("a"), true, "a", "first");
        interrupts.request(line.number(), _ -> called.add("b"), true, "b", "second");
        assertRefused(Errno.EBUSY, () -> interrupts.request(line.number(), _ -> true, false, "c", "third"));
        line.handle(0);
        assertThat(called).as("the first says that it was not meant").containsExactly("a", "b");
        assertThat(line.spurious()).isZero();
        interrupts.free(line.number(), "first");
        assertThat(line.handlers()).containsExactly("b");

        InterruptVector message = interrupts.allocate(true);
        assertRefused(Errno.EINVAL, () -> interrupts.request(message.number(), _ -> true, true, "a", "first"));
    }

    /** The worker that was started for a device sleeps in it; any worker that owns the loop polls all devices. */
    @Test
    @Covers({"NDEV-69", "NDEV-73"})
    void wakeUpsAreCountedForEachVectorAndWorker() throws InterruptedException {
        Card first = card("eth0");
        Card second = card("eth1");
        loop.start("host");
        first.packet();
        second.packet();
        // A worker may have received the packet before it slept, and was then not woken.
        while (interrupts.vector(1).count(0) == 0) {
            first.packet();
        }
        while (interrupts.vector(2).count(1) == 0) {
            second.packet();
        }
        assertThat(interrupts.vector(1).count(1)).isZero();
        assertThat(interrupts.vector(2).count(0)).isZero();
        List<String> lines = interrupts.lines();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).matches(" +W0 +W1");
        assertThat(lines.get(1)).matches(" +1: +[1-9][0-9]* +0 +MSI +eth0");
        assertThat(lines.get(2)).matches(" +2: +0 +[1-9][0-9]* +MSI +eth1");
    }

    /** The worker that sleeps in the device passes the interrupt to the worker that may handle it. */
    @Test
    @Covers("NDEV-74")
    void theAffinityOfAVectorSaysWhichWorkersHandleIt() throws InterruptedException {
        card("eth0");
        Card second = card("eth1");
        loop.start("host");
        assertThat(interrupts.vector(2).affinity()).isEqualTo(-1);
        interrupts.affinity(2, 0b01);
        while (interrupts.vector(2).count(0) == 0) {
            second.packet();
        }
        assertThat(interrupts.vector(2).count(1)).isZero();
        interrupts.affinity(2, 0b10);
        while (interrupts.vector(2).count(1) == 0) {
            second.packet();
        }
        assertRefused(Errno.EINVAL, () -> interrupts.affinity(2, 0b100));
        assertRefused(Errno.EINVAL, () -> interrupts.affinity(2, 0));
    }
}
