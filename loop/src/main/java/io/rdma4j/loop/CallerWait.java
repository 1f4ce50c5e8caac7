// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.receive.Softnet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a blocking application thread sleep in the kernel itself, in place of the loop thread. A packet then wakes the
 * thread that waits for it. This saves a second wake-up, which is by far the most expensive step of a message's path.
 *
 * <p>While such a thread processes its packet, no thread sleeps in the device. So only a thread whose last {@link
 * #TIMES} waits followed each other promptly may sleep here. If it is not prompt the next time, the loop thread runs
 * the loop within milliseconds, as it does after a thread has stopped polling. The application thread must then be
 * prompt for {@link #TIMES} waits again. Only one thread at a time sleeps here, and only in a loop with a single device
 * that has an interrupt. Virtual threads never do, because the kernel would block their carrier thread as well.
 *
 * <p>No wake-up is lost. The thread sets {@link #asleep} before it checks for the last time whether there is a reason
 * to sleep. A thread that brings work reads {@link #asleep} afterwards. A wake-up ends the current sleep or else the
 * next one, so the thread may be at any point between.
 */
final class CallerWait {
    /** Maximum pause between two waits that still counts as prompt, 200 µs. */
    static final long PROMPT_NS = 200_000;

    /** Number of prompt waits in a row after which a thread may sleep here. */
    static final int TIMES = 8;

    /**
     * After this time without a wait of the known thread, another thread may take its place: the loop thread sleeps in
     * the device again.
     */
    private static final long FORGOTTEN_NS = 2 * PollCheck.SHORTEST_NS;

    private final NetLoop loop;
    private final LoopThreads threads;

    /** The device in which threads may sleep; null if there is none. */
    private volatile @Nullable DeviceInterrupt place;

    /** The thread that sleeps in the device, is about to, or is about to leave. */
    private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();

    /** Predicts the next packet of {@link #known}. */
    private final BusyPoll busyPoll = new BusyPoll();

    private volatile boolean asleep;
    private volatile long asleepUntilNs = Deadline.NEVER;

    /** Number of waits that threads began here, and the number that the loop thread has read last. */
    private final AtomicLong uses = new AtomicLong();

    private long usesSeen;

    /** The thread whose pauses are measured, and the time at which it last continued after a sleep; guarded by this. */
    private @Nullable Thread known;

    private long leftNs;
    private int prompt;

    CallerWait(NetLoop loop, LoopThreads threads) {
        this.loop = loop;
        this.threads = threads;
    }

    /**
     * Sets the device in which threads may sleep, or null for none. When this method returns, no thread sleeps in the
     * former device.
     */
    @SuppressWarnings("ReferenceEquality") // a place is itself
    void place(@Nullable DeviceInterrupt device) {
        DeviceInterrupt former = place;
        place = device;
        while (former != null && former != device && inside.get() != null) {
            former.wake();
            Thread.yield();
        }
    }

    // For application threads

    /**
     * Sleeps until there is work, a wake-up or a timeout, and runs the loop; may return early.
     *
     * @param over true if there is no reason to sleep; called several times
     * @return false if the thread must not sleep here
     */
    boolean sleep(long timeoutNs, BooleanSupplier over) {
        DeviceInterrupt device = place;
        Thread thread = Thread.currentThread();
        if (device == null || thread.isVirtual() || !isPrompt(thread) || !device.isReady()) {
            return false;
        }
        // The thread is not registered as inside yet: work may call place(), which waits until no thread is inside.
        long fromNs = loop.clock().nanoTime();
        if (look(device, fromNs, timeoutNs, over)) {
            left();
            return true;
        }
        if (!inside.compareAndSet(null, thread)) {
            return false;
        }
        try {
            threads.makeRoom();
            sleep(device, Deadline.after(fromNs, timeoutNs), over);
        } finally {
            inside.set(null);
        }
        work();
        left();
        return true;
    }

    /** Polls for as long as that is cheaper than a sleep; true if there was work, or no reason to sleep. */
    @SuppressWarnings("ReferenceEquality") // a place is itself
    private boolean look(DeviceInterrupt device, long fromNs, long timeoutNs, BooleanSupplier over) {
        long nowNs = fromNs;
        uses.getAndIncrement();
        busyPoll.worked(nowNs);
        while (busyPoll.goesOn(nowNs) && nowNs - fromNs < timeoutNs && place == device) {
            if (over.getAsBoolean() || work()) {
                return true;
            }
            nowNs = loop.clock().nanoTime();
        }
        return false;
    }

    private boolean work() {
        boolean worked = loop.work(true, Softnet.NO_WORKER);
        if (!worked) {
            // Another thread may own the loop and need this CPU.
            Thread.yield();
        }
        return worked;
    }

    @SuppressWarnings("ReferenceEquality") // a place is itself
    private void sleep(DeviceInterrupt device, long endNs, BooleanSupplier over) {
        long nowNs = loop.clock().nanoTime();
        long untilNs =
                Deadline.earlier(endNs, Deadline.after(nowNs, loop.sleep().longestNs(true)));
        asleepUntilNs = Deadline.earlier(untilNs, loop.nextDeadlineNs());
        asleep = true;
        // Read again after asleep is set, because another thread may have set an earlier deadline meanwhile.
        long leftNs = Deadline.earlier(asleepUntilNs, loop.nextDeadlineNs()) - nowNs;
        if (leftNs > 0 && place == device && loop.beforeSleep(NetLoop.DIRECT_SLEEPER) && !over.getAsBoolean()) {
            await(device, leftNs);
            busyPoll.slept(nowNs, loop.clock().nanoTime(), nowNs + leftNs);
        }
        loop.afterSleep(NetLoop.DIRECT_SLEEPER);
        asleep = false;
    }

    /**
     * Sleeps in the device. An error of the driver takes the device out of service and does not leave the application's
     * call.
     */
    private void await(DeviceInterrupt device, long timeoutNs) {
        try {
            device.await(timeoutNs);
        } catch (Throwable error) {
            device.breakDown();
            loop.fail(device.device(), error);
        }
    }

    /**
     * True if a thread sleeps here, which runs the loop also for the calling thread, which is about to block elsewhere.
     * Wakes the sleeping thread if the loop has an earlier deadline now.
     */
    boolean covers() {
        if (!asleep) {
            return false;
        }
        if (Deadline.earlier(loop.nextDeadlineNs(), asleepUntilNs) != asleepUntilNs) {
            wake();
        }
        return true;
    }

    /** Ends the sleep, because the event of the sleeping thread may have occurred; any thread. */
    void wake() {
        DeviceInterrupt device = place;
        if (asleep && device != null) {
            device.wake();
        }
    }

    @SuppressWarnings("ReferenceEquality") // a thread is itself
    private synchronized boolean isPrompt(Thread thread) {
        long awayNs = loop.clock().nanoTime() - leftNs;
        if (known != thread) {
            if (isTaken() || awayNs <= FORGOTTEN_NS) {
                return false;
            }
            known = thread;
            prompt = 0;
        } else {
            prompt = awayNs <= PROMPT_NS ? Math.min(prompt + 1, TIMES) : 0;
        }
        return prompt == TIMES;
    }

    /** Records that the calling thread continues after a sleep, here or elsewhere. */
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    synchronized void left() {
        if (known == Thread.currentThread()) {
            leftNs = loop.clock().nanoTime();
        }
    }

    // For loop threads

    /** True if a thread is inside now. */
    boolean isTaken() {
        return inside.get() != null;
    }

    /** True if a thread is inside now, or has begun a wait since the last call of this method. */
    boolean wasTaken() {
        long now = uses.get();
        boolean taken = now != usesSeen || isTaken();
        usesSeen = now;
        return taken;
    }
}
