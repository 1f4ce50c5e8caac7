package io.rdma4j.net.loop;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** How threads sleep until the loop has something for them: who works meanwhile, and for how long nobody may look in. */
public final class LoopSleep {
    /** Even without deadline and packets who sleeps looks in so often; a deadline set meanwhile is late by this at most. */
    private static final long MAX_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How long to wait for a network that takes nothing. */
    private static final long HELD_BACK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final NetLoop loop;
    private final LoopWatchers watchers;

    LoopSleep(NetLoop loop, LoopWatchers watchers) {
        this.loop = loop;
        this.watchers = watchers;
    }

    /** The calling thread is about to sleep, and will not come by: somebody else must drive the loop. */
    public void beforeBlocking() {
        if (!direct().covers()) {
            watchers.takeOver();
        }
    }

    /** The calling thread has slept, as {@link #beforeBlocking} had announced, and goes on. */
    public void afterBlocking() {
        direct().left();
    }

    /**
     * The calling thread wants to sleep until something happens that the loop brings about. If it may, it sleeps until the loop has work, and does
     * that; see {@link DirectSleep}. Otherwise this is {@link #beforeBlocking}.
     *
     * @param timeoutNs how long at most, nanoseconds
     * @param over true if there is no reason to sleep
     * @return true if it has slept, perhaps for less than that, or had no reason to; false if the caller is to sleep by itself
     */
    public boolean await(long timeoutNs, BooleanSupplier over) {
        if (direct().sleep(timeoutNs, over)) {
            return true;
        }
        beforeBlocking();
        return false;
    }

    /** What the thread in {@link #await} waits for may have come: it returns. Any thread. */
    public void wake() {
        direct().wake();
    }

    DirectSleep direct() {
        return watchers.directSleep();
    }

    /**
     * How long a thread may sleep before it looks in, nanoseconds.
     *
     * @param leads whether it is the one that looks after what is held back
     */
    long longestNs(boolean leads) {
        return Math.min(
                leads && loop.isHeldBack() ? HELD_BACK_NS : MAX_SLEEP_NS,
                loop.latency().longestSleepNs());
    }
}
