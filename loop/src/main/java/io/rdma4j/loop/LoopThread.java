// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.WakeUp;
import io.rdma4j.net.receive.Softnet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs the loop while no application thread does.
 *
 * <p>Application threads that poll without pause need no loop thread: it would compete with them for the CPU and the
 * socket. While they poll, the loop thread only checks at intervals whether they still do, see {@link PollCheck}. An
 * application thread calls {@link #takeOver} before it blocks. The loop thread then sleeps in the kernel until a packet
 * or a deadline, as it also does when no thread polls.
 */
final class LoopThread implements Runnable {
    /** Pause after an error. */
    private static final long AFTER_ERROR_NS = TimeUnit.MILLISECONDS.toNanos(4);

    private final int number;
    private final NetLoop loop;
    private final Interrupts interrupts;
    private final boolean leads;
    private final Thread thread;
    private final WakeUp wakeUp = new WakeUp();
    private final BusyPoll busyPoll = new BusyPoll();

    /** The device whose packets end the sleep of this thread; null if there is none. */
    private volatile @Nullable DeviceInterrupt awaited;

    /** The device in which the thread sleeps, or is about to. */
    private volatile @Nullable NetDevice inDevice;

    private volatile boolean stopped;
    private volatile boolean takeOver;
    private volatile long pollsAtBlock;
    private volatile long asleepUntilNs = Deadline.NEVER;
    private volatile boolean asleep;
    private volatile boolean called;

    /**
     * @param number worker number; worker 0 leads: it serves deadlines, and packets that a device did not accept
     */
    LoopThread(String name, int number, NetLoop loop, Interrupts interrupts, @Nullable DeviceInterrupt awaited) {
        this.number = number;
        this.loop = loop;
        this.interrupts = interrupts;
        this.awaited = awaited;
        this.leads = number == 0;
        this.thread = Thread.ofPlatform().daemon().name("rdma4j-" + name).unstarted(this);
    }

    /**
     * Registers a shutdown hook that runs the loop once. So work that was deferred to the next poll is still done, such
     * as a delayed acknowledgement.
     */
    static Thread atExit(NetLoop loop) {
        Thread last = Thread.ofPlatform().unstarted(() -> loop.work(false, Softnet.NO_WORKER));
        Runtime.getRuntime().addShutdownHook(last);
        return last;
    }

    /** Removes the hook of {@link #atExit}, unless the JVM ends already. */
    static void forgetExit(@Nullable Thread last) {
        try {
            if (last != null) {
                Runtime.getRuntime().removeShutdownHook(last);
            }
        } catch (IllegalStateException e) {
            // The JVM is about to end: the hook runs and finds no work.
        }
    }

    /** Worker number. */
    int number() {
        return number;
    }

    @SuppressWarnings("ReferenceEquality") // a thread is itself
    boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    void start() {
        thread.start();
    }

    /** Ends the thread and waits until it has ended. */
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
        interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes the thread sleep in {@code device}; false if it has another device. */
    boolean attach(DeviceInterrupt device) {
        if (awaited != null) {
            return false;
        }
        awaited = device;
        wakeUp.call();
        return true;
    }

    /**
     * Makes the thread stop sleeping in {@code device} and waits until it has; null if the thread has another device.
     */
    @SuppressWarnings("ReferenceEquality") // a device is itself
    @Nullable
    DeviceInterrupt detach(NetDevice device) {
        DeviceInterrupt former = awaited;
        if (former == null || former.device() != device) {
            return null;
        }
        awaited = null;
        while (inDevice == device) {
            former.wake();
            Thread.yield();
        }
        return former;
    }

    /** Ends the current sleep of the thread, or the next one. */
    void interrupt() {
        called = true;
        DeviceInterrupt sleptIn = awaited;
        if (sleptIn != null) {
            sleptIn.wake();
        }
        wakeUp.call();
    }

    /** Wakes the thread if it sleeps, because there is work. */
    void wake() {
        if (asleep) {
            interrupt();
        }
    }

    /** Makes the thread run the loop, because the calling application thread is about to block. */
    void takeOver() {
        pollsAtBlock = loop.polls();
        takeOver = true;
        if (!asleep) {
            LockSupport.unpark(thread);
        } else if (leads && Deadline.earlier(loop.nextDeadlineNs(), asleepUntilNs) != asleepUntilNs) {
            interrupt();
        }
    }

    /**
     * Runs until {@link #stop}, also after an error: without this thread, devices receive nothing while the program
     * sleeps.
     */
    @Override
    public void run() {
        while (!stopped) {
            try {
                watch();
            } catch (Throwable error) {
                loop.errors().error("the thread of a loop has failed and goes on", error);
                LockSupport.parkNanos(this, AFTER_ERROR_NS);
            }
        }
    }

    private void watch() {
        PollCheck check = new PollCheck(loop.polls(), loop.clock().nanoTime());
        while (!stopped) {
            long nowNs = loop.clock().nanoTime();
            boolean spins = check.spins(nowNs, loop.polls(), pollsAtBlock);
            boolean replaced = loop.sleep().direct().wasTaken();
            if ((spins || replaced) && !takeOver) {
                LockSupport.parkNanos(this, check.intervalNs(loop.latency().longestSleepNs()));
                if (spins) {
                    sample(check);
                }
            } else {
                takeOver = false;
                if (loop.work(true, number)) {
                    busyPoll.worked(nowNs);
                } else {
                    // Another thread may own the loop and need this CPU.
                    Thread.yield();
                }
                if (!busyPoll.goesOn(nowNs) && !(leads && loop.isAwaited(nowNs))) {
                    sleep();
                }
            }
        }
    }

    /** Serves what has arrived if no application thread polls at this moment. */
    private void sample(PollCheck check) {
        long polls = loop.polls();
        LockSupport.parkNanos(this, PollCheck.SAMPLE_NS);
        if (polls == loop.polls() && !takeOver && loop.work(true, number)) {
            check.missed(loop.clock().nanoTime());
        }
    }

    private void sleep() {
        long nowNs = loop.clock().nanoTime();
        long untilNs = Deadline.after(nowNs, loop.sleep().longestNs(leads));
        if (leads) {
            untilNs = Deadline.earlier(untilNs, loop.nextDeadlineNs());
        }
        asleepUntilNs = untilNs;
        called = false;
        // Set before the last check for work: either this thread sees the work, or the thread that brings it sees this
        // flag.
        asleep = true;
        if (!takeOver
                && !stopped
                && untilNs - nowNs > 0
                && !loop.hasPackets(number)
                && !loop.sleep().direct().isTaken()
                && (!leads || loop.beforeSleep(NetLoop.LEADER))) {
            sleep(untilNs - nowNs);
            busyPoll.slept(nowNs, loop.clock().nanoTime(), untilNs);
        }
        if (leads) {
            loop.afterSleep(NetLoop.LEADER);
        }
        asleep = false;
    }

    /**
     * Sleeps, in the device if possible. A sleep would end at once in a device that is down, or whose interrupt is
     * still to be handled.
     */
    @SuppressWarnings("ReferenceEquality") // a device is itself
    private void sleep(long timeoutNs) {
        DeviceInterrupt source = awaited;
        if (source == null || !source.isReady() || source.vector().isPosted()) {
            wakeUp.await(timeoutNs);
        } else {
            inDevice = source.device();
            try {
                if (awaited == source) {
                    sleepIn(source, timeoutNs);
                }
            } finally {
                inDevice = null;
            }
        }
        interrupts.handlePosted(this);
    }

    /** Sleeps in the device. If neither the timeout nor another thread has ended the sleep, a packet has. */
    private void sleepIn(DeviceInterrupt source, long timeoutNs) {
        boolean awoken;
        try {
            awoken = source.tryAwait(timeoutNs);
        } catch (Throwable error) {
            source.breakDown();
            loop.fail(source.device(), error);
            return;
        }
        if (awoken && !called && loop.clock().nanoTime() - asleepUntilNs < 0) {
            interrupts.raise(source.vector(), this);
        }
    }
}
