// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Limits how late the loop's threads may find new work, by requests of drivers and applications ({@code
 * pm_qos_add_request}). The strictest request counts. Any thread.
 */
public final class LatencyRequests {
    /** Approximate time to fall asleep and wake up. With a shorter limit, a thread must poll. */
    static final long WAKE_UP_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Collection<Request> requests = new ConcurrentLinkedQueue<>();
    private volatile long longestSleepNs = Long.MAX_VALUE;

    LatencyRequests() {}

    /** A request that is valid until it is closed. */
    public final class Request implements AutoCloseable {
        private final long latencyNs;

        private Request(long latencyNs) {
            this.latencyNs = latencyNs;
        }

        /** Withdraws the request ({@code pm_qos_remove_request}). */
        @Override
        public void close() {
            requests.remove(this);
            update();
        }
    }

    /**
     * Adds a request: the loop's threads find new work within {@code latencyNs}. They sleep no longer than that. If
     * {@code latencyNs} is less than 50 µs, they poll without end, and each of them uses a CPU. Takes effect when the
     * threads wake up the next time.
     *
     * @param latencyNs nanoseconds
     * @return the request; closing it ends its effect
     */
    public Request add(long latencyNs) {
        Request request = new Request(latencyNs);
        requests.add(request);
        update();
        return request;
    }

    private synchronized void update() {
        long least = requests.stream().mapToLong(one -> one.latencyNs).min().orElse(Long.MAX_VALUE);
        longestSleepNs = least < WAKE_UP_NS ? 0 : least;
    }

    /** Maximum time of one sleep of a loop thread, nanoseconds; 0: it must not sleep. */
    long longestSleepNs() {
        return longestSleepNs;
    }
}
