// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Cpu;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Decides which polls of application threads run the loop, and when a polling thread yields its CPU. Any thread; a
 * count that is lost when two threads poll at once does no harm.
 */
final class PollPacing {
    /**
     * Time of polling without work after which a polling thread yields its CPU at each further poll. Without the yield,
     * two processes that spin on too few CPUs would alternate only at the scheduler's tick, milliseconds apart. The
     * same holds for a process that competes with the compiler of a JVM that has just started. On a CPU without other
     * runnable threads a yield returns at once.
     */
    private static final long SPIN_BEFORE_YIELD_NS = 20_000;

    /**
     * A run without work that takes longer has asked the operating system for packets. Polling threads then let
     * {@link #IDLE_PAUSE_NS} pass before the next run, if there was no work for {@link #SPIN_BEFORE_YIELD_NS}; polls in
     * between return at once. So a program that polls several queues spends its time on other things.
     */
    private static final long EXPENSIVE_RUN_NS = 400;

    private static final long IDLE_PAUSE_NS = 2_000;

    /**
     * A polling thread reads the clock once in this many polls (a power of two), because that takes longer than the
     * rest of a poll. A deadline is late by at most this many polls. If polls are far apart, {@link LoopThread} serves
     * the deadlines.
     */
    private static final int POLLS_PER_LOOK_AT_CLOCK = 4;

    /**
     * While all devices are quiet, a polling thread runs the loop once in this many polls (a power of two, at least
     * {@link #POLLS_PER_LOOK_AT_CLOCK}). The others only ask the devices. A deadline is late by at most so many polls.
     */
    private static final int POLLS_PER_RUN = 8;

    private static final VarHandle POLLS;

    static {
        try {
            POLLS = MethodHandles.lookup().findVarHandle(PollPacing.class, "polls", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through POLLS
    private long polls;

    /** Time of the last run that asked the operating system and got no packets; a hint for polling threads. */
    private long pauseBeganNs;

    /** Returns the number of polls until now. */
    long polls() {
        return (long) POLLS.getOpaque(this);
    }

    /** Counts a poll; returns its number. */
    long count() {
        long count = polls() + 1;
        POLLS.setOpaque(this, count);
        return count;
    }

    /** Returns true if polls yield the CPU after so much time without work. */
    static boolean isIdle(long withoutWorkNs) {
        return withoutWorkNs > SPIN_BEFORE_YIELD_NS;
    }

    /** Returns true if a poll runs the loop also while all devices are quiet. */
    static boolean isRunDue(long number) {
        return (number & POLLS_PER_RUN - 1) == 0;
    }

    /** Returns true if a poll reads the clock. */
    static boolean isClockDue(long number) {
        return (number & POLLS_PER_LOOK_AT_CLOCK - 1) == 0;
    }

    /** Returns true if an idle poll does not run the loop, because a run has just asked the operating system. */
    boolean isPausing(long nowNs) {
        return nowNs - pauseBeganNs < IDLE_PAUSE_NS;
    }

    /**
     * Ends an idle poll whose run has found no work.
     *
     * @param startNs time at which the run began
     * @param endNs time of the clock in the run
     */
    void giveWay(long startNs, long endNs) {
        if (endNs - startNs > EXPENSIVE_RUN_NS) {
            pauseBeganNs = endNs;
        }
        Cpu.giveWay();
    }
}
