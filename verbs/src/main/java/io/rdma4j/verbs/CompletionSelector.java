// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets a thread sleep on several completion channels of any contexts and devices. Corresponds to {@code epoll} on the
 * file descriptors of {@code struct ibv_comp_channel}.
 *
 * <p>Level-triggered: a channel is selected while it has events. {@link CompletionChannel#getEvent(Duration)} with a
 * zero timeout fetches them. A channel is in at most one selector; closing the channel removes it. Any thread,
 * including virtual threads. Several threads may select at the same time.
 */
public final class CompletionSelector implements AutoCloseable {
    private final Lifecycle life = new Lifecycle("completion selector");
    private final List<CompletionChannel> channels = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Number of events. A thread that found no ready channel sleeps only if the number has not changed since. */
    private long changes;

    private CompletionSelector() {}

    /**
     * Opens a selector without channels.
     *
     * @return the selector; the caller closes it
     */
    public static CompletionSelector open() {
        return new CompletionSelector();
    }

    /**
     * Adds a channel. Idempotent.
     *
     * @param channel remains owned by the application; closing the channel or the selector removes it
     * @throws RdmaException EINVAL if the selector or the channel is closed, EBUSY if the channel is in another
     *     selector
     */
    public void add(CompletionChannel channel) {
        life.checkOpen();
        channel.life().checkOpen();
        if (!channels.contains(channel)) {
            channel.observe(this);
            channels.add(channel);
            wakeup();
        }
    }

    /**
     * Removes a channel. Idempotent.
     *
     * @param channel the channel; ignored if it is not in this selector
     */
    public void remove(CompletionChannel channel) {
        if (channels.remove(channel)) {
            channel.observe(null);
            wakeup();
        }
    }

    /**
     * Waits until a channel has events.
     *
     * @return the channels that have events; empty after {@link #wakeup}, {@link #add} or {@link #remove}, or if
     *     another thread fetched the events first
     * @throws RdmaException EINVAL if the selector is closed, also if that happens during the wait
     * @throws InterruptedException if the thread was interrupted before a channel had events
     */
    public List<CompletionChannel> select() throws InterruptedException {
        return select(Long.MAX_VALUE);
    }

    /**
     * As {@link #select()}, with a timeout.
     *
     * @param timeout maximum time to wait; zero checks without waiting
     * @return the channels that have events; empty after the timeout, and in the cases of {@link #select()}
     * @throws InterruptedException if the thread was interrupted before a channel had events
     */
    public List<CompletionChannel> select(Duration timeout) throws InterruptedException {
        return select(Arguments.nanoseconds(timeout));
    }

    private List<CompletionChannel> select(long timeoutNs) throws InterruptedException {
        long seen = changes();
        List<CompletionChannel> ready = ready();
        if (ready.isEmpty() && timeoutNs > 0) {
            channels.forEach(CompletionChannel::beforeSleep);
            awaitChange(seen, timeoutNs);
            ready = ready();
        }
        return ready;
    }

    private List<CompletionChannel> ready() {
        life.checkOpen();
        List<CompletionChannel> ready = new ArrayList<>();
        for (CompletionChannel channel : channels) {
            if (channel.hasEvents()) {
                ready.add(channel);
            }
        }
        return ready;
    }

    private long changes() {
        lock.lock();
        try {
            return changes;
        } finally {
            lock.unlock();
        }
    }

    private void awaitChange(long seen, long timeoutNs) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNs = timeoutNs;
            while (changes == seen && leftNs > 0) {
                leftNs = changed.awaitNanos(leftNs);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the waits of all selecting threads. Each returns the channels that have events. */
    public void wakeup() {
        lock.lock();
        try {
            changes++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Removes all channels, which stay open, and closes the selector. Threads that wait throw EINVAL. Idempotent. */
    @Override
    public void close() {
        if (life.close()) {
            List.copyOf(channels).forEach(this::remove);
            wakeup();
        }
    }
}
