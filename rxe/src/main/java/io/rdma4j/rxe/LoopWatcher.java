package io.rdma4j.rxe;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.NetDevice;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that works for a device while no application thread does.
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

    private static final long LOOK_IN_NS = TimeUnit.MILLISECONDS.toNanos(4);

    /** Even without deadline and packets it looks in so often; a deadline set meanwhile is late by this at most. */
    private static final long MAX_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How long to wait for a network that takes nothing. */
    private static final long HELD_BACK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final PortLoop loop;
    private final NetDevice device;
    private final Thread thread;

    private volatile boolean stopped;
    private volatile boolean takeOver;
    private volatile long pollsAtBlock;
    private volatile long asleepUntilNs = Deadline.NEVER;
    private volatile boolean inKernel;

    LoopWatcher(String name, PortLoop loop, NetDevice device) {
        this.loop = loop;
        this.device = device;
        this.thread = Thread.ofPlatform().daemon().name("rdma4j-" + name).unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Ends the thread and waits until it has ended. */
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
        device.wakeup();
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

    /** The calling thread is about to sleep and will not come by. */
    void takeOver() {
        pollsAtBlock = loop.polls();
        takeOver = true;
        if (!inKernel) {
            LockSupport.unpark(thread);
        } else if (Deadline.earlier(loop.nextDeadlineNs(), asleepUntilNs) != asleepUntilNs) {
            device.wakeup();
        }
    }

    @Override
    public void run() {
        long polls = loop.polls();
        long sinceNs = loop.clock().nanoTime();
        while (!stopped) {
            long nowNs = loop.clock().nanoTime();
            long seen = loop.polls();
            boolean often = (seen - polls) * POLLING_INTERVAL_NS > nowNs - sinceNs;
            boolean spins = often && seen - pollsAtBlock > POLLS_OF_A_SPINNER;
            polls = seen;
            sinceNs = nowNs;
            if (spins && !takeOver) {
                LockSupport.parkNanos(this, LOOK_IN_NS);
            } else {
                takeOver = false;
                if (!loop.work(true)) {
                    // Somebody else may be in the loop, who needs the CPU more.
                    Thread.yield();
                }
                sleep();
            }
        }
    }

    private void sleep() {
        long nowNs = loop.clock().nanoTime();
        long untilNs = Deadline.after(nowNs, loop.isHeldBack() ? HELD_BACK_NS : MAX_SLEEP_NS);
        untilNs = Deadline.earlier(untilNs, loop.nextDeadlineNs());
        asleepUntilNs = untilNs;
        inKernel = true;
        if (!takeOver && !stopped && untilNs - nowNs > 0) {
            device.awaitReadable(untilNs - nowNs);
        }
        inKernel = false;
    }
}
