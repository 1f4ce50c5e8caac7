// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.NetDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Unregistered devices that wait for the release of their last reference ({@code net_todo_list},
 * {@code netdev_run_todo}). No thread blocks for them: the thread that releases the last reference calls {@link #run}.
 * One thread at a time processes the list, and repeats it if another thread has called meanwhile.
 */
final class UnregisterTodo {
    /** Period of repeated notifications to the holders of references. */
    static final long REMIND_NS = TimeUnit.SECONDS.toNanos(1);

    /** Period of log lines about a waiting device. */
    static final long WARN_NS = TimeUnit.SECONDS.toNanos(10);

    private static final System.Logger LOGGER = System.getLogger(UnregisterTodo.class.getName());

    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger calls = new AtomicInteger();

    private static final class Waiting {
        final NetDevice device;
        long remindNs;
        long warnNs;

        Waiting(NetDevice device, long nowNs) {
            this.device = device;
            this.remindNs = nowNs + REMIND_NS;
            this.warnNs = nowNs + WARN_NS;
        }
    }

    /** {@code net_set_todo}. */
    void add(NetDevice device, long nowNs) {
        waiting.add(new Waiting(device, nowNs));
    }

    /** Releases the devices without references. */
    void run() {
        if (calls.getAndIncrement() != 0) {
            return;
        }
        int seen;
        do {
            seen = calls.get();
            waiting.removeIf(one -> concluded(one.device));
        } while (calls.addAndGet(-seen) != 0);
    }

    private static boolean concluded(NetDevice device) {
        try {
            return device.registration().conclude();
        } catch (RuntimeException e) {
            LOGGER.log(System.Logger.Level.ERROR, device.name() + ": its driver failed while it was released", e);
            return true;
        }
    }

    /** Returns the time for the next call of {@link #remind}, ns; {@link Deadline#NEVER} if no device waits. */
    long nextDeadlineNs() {
        long next = Deadline.NEVER;
        for (Waiting one : waiting) {
            next = Deadline.earlier(next, Deadline.earlier(one.remindNs, one.warnNs));
        }
        return next;
    }

    /**
     * {@code netdev_wait_allrefs}: handles devices that wait too long. One thread at a time calls it, under the RTNL
     * lock.
     */
    void remind(long nowNs, Consumer<String> log) {
        List<Waiting> all = new ArrayList<>(waiting);
        for (Waiting one : all) {
            if (Deadline.isDue(one.remindNs, nowNs)) {
                one.remindNs = nowNs + REMIND_NS;
                one.device.registration().remind();
            }
            if (Deadline.isDue(one.warnNs, nowNs)) {
                one.warnNs = nowNs + WARN_NS;
                log.accept("unregister_netdevice: waiting for " + one.device.name() + " to become free. Usage count = "
                        + one.device.references().count());
            }
        }
    }
}
