// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import java.io.IOException;
import java.nio.channels.Selector;
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
 * including virtual threads. Several threads may select at the same time. A thread that also serves sockets waits for
 * both by {@link #select(Selector, Duration)}.
 */
public final class CompletionSelector implements AutoCloseable {
    private static final long NANOSECONDS_PER_MS = 1_000_000;

    private final Lifecycle life = new Lifecycle("completion selector");
    private final List<CompletionChannel> channels = new CopyOnWriteArrayList<>();
    /** The NIO selectors in which threads wait. */
    private final List<Selector> socketWaits = new CopyOnWriteArrayList<>();

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

    /**
     * Waits until a channel has events, or a socket of an NIO selector is ready: for a thread that serves both. The
     * calling thread then looks at the selected keys. Corresponds to {@code poll} with the file descriptors of channels
     * and of sockets.
     *
     * @param sockets selects during the call, and keeps its selected keys; its own {@code wakeup} ends the wait, too
     * @param timeout maximum time to wait, rounded up to milliseconds; zero checks without waiting
     * @return the channels that have events; empty if only sockets are ready, after the timeout or an interrupt, and in
     *     the cases of {@link #select()}
     * @throws IOException of the NIO selector
     * @throws RdmaException EINVAL if this selector is closed, also if that happens during the wait
     */
    public List<CompletionChannel> select(Selector sockets, Duration timeout) throws IOException {
        Arguments.present("sockets", sockets);
        long timeoutNs = Arguments.nanoseconds(timeout);
        // First, so that an event from now on ends the wait: a wake-up of an NIO selector is kept for its next wait.
        socketWaits.add(sockets);
        try {
            List<CompletionChannel> ready = ready();
            if (ready.isEmpty() && timeoutNs > 0) {
                channels.forEach(CompletionChannel::beforeSleep);
                sockets.select(Math.ceilDiv(timeoutNs, NANOSECONDS_PER_MS));
                return ready();
            }
            sockets.selectNow();
            return ready;
        } finally {
            socketWaits.remove(sockets);
        }
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
        socketWaits.forEach(Selector::wakeup);
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
