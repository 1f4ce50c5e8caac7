// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Puts threads to sleep until the loop has work for them. Decides which thread runs the loop meanwhile, and limits the
 * sleep.
 */
public final class LoopWait {
    /** Maximum sleep without deadline and packets; a deadline that is set meanwhile is late by at most this time. */
    private static final long MAX_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Maximum sleep while a packet waits for a device that did not accept it. */
    private static final long HELD_BACK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final NetLoop loop;
    private final LoopThreads threads;

    LoopWait(NetLoop loop, LoopThreads threads) {
        this.loop = loop;
        this.threads = threads;
    }

    /**
     * Announces that the calling thread blocks and runs the loop no more. If no thread is in a caller wait, a loop
     * thread takes over.
     */
    public void beforeBlocking() {
        if (!direct().covers()) {
            threads.takeOver();
        }
    }

    /** Announces that the calling thread has slept after {@link #beforeBlocking}, and continues. */
    public void afterBlocking() {
        direct().left();
    }

    /**
     * Puts the calling thread to sleep until an event of the loop. If a caller wait is possible, the thread sleeps
     * until the loop has work, and runs the loop; see {@link CallerWait}. Otherwise this method does the same as {@link
     * #beforeBlocking}.
     *
     * @param timeoutNs maximum time, nanoseconds
     * @param over true if there is no reason to sleep
     * @return true if the thread has slept, perhaps for a shorter time, or had no reason to sleep; false if the caller
     *     must block by itself
     */
    public boolean await(long timeoutNs, BooleanSupplier over) {
        if (direct().sleep(timeoutNs, over)) {
            return true;
        }
        beforeBlocking();
        return false;
    }

    /** Ends the sleep of the thread in {@link #await}, because its event may have occurred. Any thread. */
    public void wake() {
        direct().wake();
    }

    CallerWait direct() {
        return threads.directSleep();
    }

    /**
     * Maximum time that a thread may sleep, nanoseconds.
     *
     * @param leads true for a thread that also sends packets that a device did not accept
     */
    long longestNs(boolean leads) {
        return Math.min(
                leads && loop.isHeldBack() ? HELD_BACK_NS : MAX_SLEEP_NS,
                loop.latency().longestSleepNs());
    }
}
