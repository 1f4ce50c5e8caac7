// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import io.rdma4j.base.Deadline;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import java.time.Duration;
import java.util.function.LongUnaryOperator;

/** Drives a port: sleeps until a completion, a wake-up or the next deadline. */
final class GsiThread {
    private static final System.Logger LOG = System.getLogger(GsiThread.class.getName());
    private static final long LONGEST_SLEEP_NS = 3_600_000_000_000L;

    private final CompletionChannel channel;
    private final CompletionQueue cq;
    private final LongUnaryOperator progress;
    private final Thread thread;

    // Guarded by this.
    private boolean sleeping;
    private boolean woken;
    private boolean stopped;

    /** @param progress does what is due at a time and returns the next deadline */
    GsiThread(String name, CompletionChannel channel, CompletionQueue cq, LongUnaryOperator progress) {
        this.channel = channel;
        this.cq = cq;
        this.progress = progress;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    synchronized void wakeup() {
        woken = true;
        if (sleeping) {
            thread.interrupt();
        }
    }

    /** Ends the thread; returns when it has ended, unless it makes the call itself. */
    void stop() {
        synchronized (this) {
            stopped = true;
            wakeup();
        }
        if (thread.equals(Thread.currentThread())) {
            return;
        }
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

    private void run() {
        try {
            while (takeWakeup()) {
                long nextNs = progress.applyAsLong(System.nanoTime());
                if (!cq.requestNotification(false)) {
                    sleepUntil(nextNs);
                }
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, thread.getName() + " ends by an unforeseen error", e);
        }
    }

    /** Returns false at the end. */
    private synchronized boolean takeWakeup() {
        woken = false;
        return !stopped;
    }

    private void sleepUntil(long deadlineNs) {
        long leftNs = deadlineNs == Deadline.NEVER ? LONGEST_SLEEP_NS : deadlineNs - System.nanoTime();
        synchronized (this) {
            if (woken || leftNs <= 0) {
                return;
            }
            sleeping = true;
        }
        try {
            CompletionQueue raised = channel.getEvent(Duration.ofNanos(Math.min(leftNs, LONGEST_SLEEP_NS)));
            if (raised != null) {
                raised.acknowledgeEvents(1);
            }
        } catch (InterruptedException e) {
            // A wake-up.
        } finally {
            synchronized (this) {
                sleeping = false;
                Thread.interrupted();
            }
        }
    }
}
