package io.rdma4j.net.loop;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.Softnet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets an application thread that blocks sleep in the kernel itself, in the place of the watcher. A packet then wakes the thread that waits for it,
 * and not one that would have to wake it in turn: waking a thread is by far the dearest thing on a message's way.
 *
 * <p>While such a thread is away with what it was woken for nobody sleeps in the device. So this is for a thread that of late was always back at
 * once; what it did is the best guess at what it will do. If the guess is wrong, the watcher comes by within milliseconds, as it does for threads
 * that poll, and the thread must be prompt for some time before it gets the place again. Only one thread has it, and only in a loop with a single
 * device to sleep in. Virtual threads never have it, since the kernel would hold their carrier as well.
 *
 * <p>No wake-up is lost: the thread says that it is asleep before it looks for the last time whether there is a reason to sleep, and who brings
 * something looks for a sleeper afterwards. A call ends the sleep that is under way or else the next one, so that it does not matter how far the
 * thread has got.
 */
final class DirectSleep {
    /** Who is back within this is back at once. */
    static final long PROMPT_NS = 200_000;

    /** So many times in a row a thread must have been back at once. */
    static final int TIMES = 8;

    /** A thread that comes so rarely that the watcher has the device again does not keep others from it. */
    private static final long FORGOTTEN_NS = 2 * LoopWatcher.LOOK_IN_NS;

    private final NetLoop loop;
    private final LoopWatchers watchers;

    /** Where to sleep; null while that cannot be. */
    private volatile @Nullable DeviceInterrupt place;

    /** Who sleeps there, is about to, or is on its way out. */
    private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();

    /** Of the thread whose habits are known. */
    private final BusyPoll busyPoll = new BusyPoll();

    private volatile boolean asleep;
    private volatile long asleepUntilNs = Deadline.NEVER;

    /** How often a thread came to sleep here, and how often the watcher knows of. */
    private final AtomicLong uses = new AtomicLong();

    private long usesSeen;

    /** Whose habits are known, and when it left; guarded by this. */
    private @Nullable Thread known;

    private long leftNs;
    private int prompt;

    DirectSleep(NetLoop loop, LoopWatchers watchers) {
        this.loop = loop;
        this.watchers = watchers;
    }

    /** From now on threads may sleep in this device, or nowhere if it is null; nobody sleeps in the former one when this returns. */
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
     * Sleeps until there is work, which is done then, until somebody wakes the sleeper, or the time is up; may return early.
     *
     * @param over asked in between: true if there is no reason to sleep
     * @return false if the thread must not sleep here
     */
    boolean sleep(long timeoutNs, BooleanSupplier over) {
        DeviceInterrupt device = place;
        Thread thread = Thread.currentThread();
        if (device == null || thread.isVirtual() || !isPrompt(thread) || !device.isReady()) {
            return false;
        }
        // Not inside: what is done meanwhile may take the place away, which waits for who is.
        long fromNs = loop.clock().nanoTime();
        if (look(device, fromNs, timeoutNs, over)) {
            left();
            return true;
        }
        if (!inside.compareAndSet(null, thread)) {
            return false;
        }
        try {
            watchers.makeRoom();
            sleep(device, Deadline.after(fromNs, timeoutNs), over);
        } finally {
            inside.set(null);
        }
        work();
        left();
        return true;
    }

    /** Looks for work for as long as that is cheaper than a sleep; true if some was done, or there is no reason to sleep. */
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
            // Somebody else may be in the loop, who needs the CPU more.
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
        // Looked at after it is known that this thread sleeps: a deadline may have been set meanwhile.
        long leftNs = Deadline.earlier(asleepUntilNs, loop.nextDeadlineNs()) - nowNs;
        if (leftNs > 0 && place == device && loop.beforeSleep(NetLoop.DIRECT_SLEEPER) && !over.getAsBoolean()) {
            await(device, leftNs);
            busyPoll.slept(nowNs, loop.clock().nanoTime(), nowNs + leftNs);
        }
        loop.afterSleep(NetLoop.DIRECT_SLEEPER);
        asleep = false;
    }

    /** An error of the driver ends the device's service and not the application thread's call. */
    private void await(DeviceInterrupt device, long timeoutNs) {
        try {
            device.await(timeoutNs);
        } catch (Throwable error) {
            device.breakDown();
            loop.fail(device.device(), error);
        }
    }

    /** The calling thread sleeps elsewhere: true if somebody sleeps here, who does what is to be done for it as well. */
    boolean covers() {
        if (!asleep) {
            return false;
        }
        if (Deadline.earlier(loop.nextDeadlineNs(), asleepUntilNs) != asleepUntilNs) {
            wake();
        }
        return true;
    }

    /** What the sleeper waits for may have come; any thread. */
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

    /** The calling thread goes back to its work after a sleep, here or elsewhere. */
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    synchronized void left() {
        if (known == Thread.currentThread()) {
            leftNs = loop.clock().nanoTime();
        }
    }

    // For the watcher

    /** True if a thread is inside now. */
    boolean isTaken() {
        return inside.get() != null;
    }

    /** True if a thread is inside now, or has come since this was last asked. */
    boolean wasTaken() {
        long now = uses.get();
        boolean taken = now != usesSeen || isTaken();
        usesSeen = now;
        return taken;
    }
}
