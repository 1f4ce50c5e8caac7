// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Calls of the clients' handlers that wait. They are made in order, by one thread at a time, without a lock of the port. */
final class HandlerQueue {
    private static final System.Logger LOG = System.getLogger(HandlerQueue.class.getName());

    private final ArrayDeque<Runnable> calls = new ArrayDeque<>();
    private final ReentrantLock running = new ReentrantLock();
    private final MadCounters counters;

    HandlerQueue(MadCounters counters) {
        this.counters = counters;
    }

    void add(Runnable call) {
        synchronized (calls) {
            calls.add(call);
        }
    }

    private @Nullable Runnable next() {
        synchronized (calls) {
            return calls.poll();
        }
    }

    boolean isEmpty() {
        synchronized (calls) {
            return calls.isEmpty();
        }
    }

    /** Makes all calls, unless another thread does that now. */
    void run() {
        while (!isEmpty() && running.tryLock()) {
            try {
                runAll();
            } finally {
                running.unlock();
            }
        }
    }

    /** Makes all calls, and returns when no other thread is within one. A handler may call it. */
    void drain() {
        running.lock();
        try {
            runAll();
        } finally {
            running.unlock();
        }
    }

    private void runAll() {
        for (Runnable call = next(); call != null; call = next()) {
            try {
                call.run();
            } catch (RuntimeException e) {
                counters.count(MadCounter.HANDLER_FAILURES);
                LOG.log(System.Logger.Level.WARNING, "a handler of management datagrams failed", e);
            }
        }
    }
}
