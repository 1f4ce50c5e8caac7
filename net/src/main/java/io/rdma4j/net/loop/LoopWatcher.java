package io.rdma4j.net.loop;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.Softnet;
import io.rdma4j.net.WakeUp;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that works for a loop while no application thread does.
 *
 * <p>Application threads that poll without pause need no helper: one that competed with them for the CPU or the socket would
 * cost far more than it gives. So while they come by it only looks in every few milliseconds. A thread that is about to block
 * says so, and then it sleeps in the kernel until a packet or a deadline comes, as it does when nobody comes by.
 */
final class LoopWatcher implements Runnable {
    /**
     * Polls closer to each other than this on average are those of a thread that does nothing else: a poll takes half a
     * microsecond, twenty times that in a JVM that has just started, and more on a CPU that is shared.
     */
    private static final long POLLING_INTERVAL_NS = TimeUnit.MICROSECONDS.toNanos(200);

    /** A thread that sleeps for events polls a few times for each before it blocks again; more than this, and it spins. */
    private static final int POLLS_OF_A_SPINNER = 16;

    static final long LOOK_IN_NS = TimeUnit.MILLISECONDS.toNanos(4);

    private final int number;
    private final NetLoop loop;
    private final Interrupts interrupts;
    private final boolean leads;
    private final Thread thread;
    private final WakeUp wakeUp = new WakeUp();
    private final BusyPoll busyPoll = new BusyPoll();

    /** Whose packets end its sleep. */
    private volatile @Nullable DeviceInterrupt awaited;

    /** The device in which it sleeps, or is about to. */
    private volatile @Nullable NetDevice inDevice;

    private volatile boolean stopped;
    private volatile boolean takeOver;
    private volatile long pollsAtBlock;
    private volatile long asleepUntilNs = Deadline.NEVER;
    private volatile boolean asleep;
    private volatile boolean called;

    /** @param number as a worker; worker 0 leads: it looks at the deadlines of the loop, and at what is held back */
    LoopWatcher(String name, int number, NetLoop loop, Interrupts interrupts, @Nullable DeviceInterrupt awaited) {
        this.number = number;
        this.loop = loop;
        this.interrupts = interrupts;
        this.awaited = awaited;
        this.leads = number == 0;
        this.thread = Thread.ofPlatform().daemon().name("rdma4j-" + name).unstarted(this);
    }

    /**
     * Has somebody come by once more when the JVM ends: what a program's last poll has left for its next one, which never comes, would be
     * lost, and a peer may wait for it.
     */
    static Thread atExit(NetLoop loop) {
        Thread last = Thread.ofPlatform().unstarted(() -> loop.work(false, Softnet.NO_WORKER));
        Runtime.getRuntime().addShutdownHook(last);
        return last;
    }

    /** Undoes {@link #atExit}, if it is not too late. */
    static void forgetExit(@Nullable Thread last) {
        try {
            if (last != null) {
                Runtime.getRuntime().removeShutdownHook(last);
            }
        } catch (IllegalStateException e) {
            // The JVM is about to end: it runs, and finds nothing to do.
        }
    }

    /** As a worker. */
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

    /** Sleeps in a device from now on; false if it has another one. */
    boolean attach(DeviceInterrupt device) {
        if (awaited != null) {
            return false;
        }
        awaited = device;
        wakeUp.call();
        return true;
    }

    /** Sleeps in {@code device} no more, and does not do so now; null if that is not its device. */
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

    /** Ends its sleep, or its next one. */
    void interrupt() {
        called = true;
        DeviceInterrupt sleptIn = awaited;
        if (sleptIn != null) {
            sleptIn.wake();
        }
        wakeUp.call();
    }

    /** There is something to do. */
    void wake() {
        if (asleep) {
            interrupt();
        }
    }

    /** The calling thread is about to sleep and will not come by. */
    void takeOver() {
        pollsAtBlock = loop.polls();
        takeOver = true;
        if (!asleep) {
            LockSupport.unpark(thread);
        } else if (leads && Deadline.earlier(loop.nextDeadlineNs(), asleepUntilNs) != asleepUntilNs) {
            interrupt();
        }
    }

    /** Whatever is thrown, the thread goes on: without it the devices of a program that sleeps are deaf. */
    @Override
    public void run() {
        while (!stopped) {
            try {
                watch();
            } catch (Throwable error) {
                loop.errors().error("the thread of a loop has failed and goes on", error);
                LockSupport.parkNanos(this, LOOK_IN_NS);
            }
        }
    }

    private void watch() {
        long polls = loop.polls();
        long sinceNs = loop.clock().nanoTime();
        while (!stopped) {
            long nowNs = loop.clock().nanoTime();
            long seen = loop.polls();
            boolean often = (seen - polls) * POLLING_INTERVAL_NS > nowNs - sinceNs;
            boolean spins = often && seen - pollsAtBlock > POLLS_OF_A_SPINNER;
            polls = seen;
            sinceNs = nowNs;
            boolean replaced = loop.sleep().direct().wasTaken();
            if ((spins || replaced) && !takeOver) {
                LockSupport.parkNanos(this, LOOK_IN_NS);
            } else {
                takeOver = false;
                if (loop.work(true, number)) {
                    busyPoll.worked(nowNs);
                } else {
                    // Somebody else may be in the loop, who needs the CPU more.
                    Thread.yield();
                }
                if (!busyPoll.goesOn(nowNs) && !(leads && loop.isAwaited(nowNs))) {
                    sleep();
                }
            }
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
        // Either this thread sees that there is something, or who has brought it sees that this thread sleeps.
        asleep = true;
        if (!takeOver
                && !stopped
                && untilNs - nowNs > 0
                && !loop.hasPackets(number)
                && !loop.sleep().direct().isTaken()
                && (!leads || loop.beforeSleep(NetLoop.WATCHER))) {
            sleep(untilNs - nowNs);
            busyPoll.slept(nowNs, loop.clock().nanoTime(), untilNs);
        }
        if (leads) {
            loop.afterSleep(NetLoop.WATCHER);
        }
        asleep = false;
    }

    /** A device that is down, or whose interrupt is still to be handled, keeps what it has: a sleep in it would end at once. */
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

    /** If neither time nor another thread has ended the sleep, a packet has. */
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
