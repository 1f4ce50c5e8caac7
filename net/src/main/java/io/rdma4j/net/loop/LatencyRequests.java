package io.rdma4j.net.loop;

import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * How late a loop may find out that there is something to do, as far as drivers and applications care ({@code
 * pm_qos_add_request}): the strictest request counts. Any thread.
 */
public final class LatencyRequests {
    /** To fall asleep and wake up takes about so long: who cannot wait for that must have somebody who polls. */
    static final long WAKE_UP_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Collection<Request> requests = new ConcurrentLinkedQueue<>();
    private volatile long longestSleepNs = Long.MAX_VALUE;

    LatencyRequests() {}

    /** A request, until it is closed. */
    public final class Request implements AutoCloseable {
        private final long latencyNs;

        private Request(long latencyNs) {
            this.latencyNs = latencyNs;
        }

        /** Takes it back ({@code pm_qos_remove_request}). */
        @Override
        public void close() {
            requests.remove(this);
            update();
        }
    }

    /**
     * From now on, or from the next time that the loop's threads wake up, they find within {@code latencyNs} what there is to do:
     * they sleep no longer, and if that is less than a sleep takes, they poll without end and use up a CPU.
     *
     * @param latencyNs nanoseconds
     * @return what ends it
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

    /** How long a thread of the loop may sleep at a time; 0: it must not. */
    long longestSleepNs() {
        return longestSleepNs;
    }
}
