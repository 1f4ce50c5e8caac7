package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets a thread sleep on several completion channels at once, of any contexts and devices: what {@code epoll} is for the file
 * descriptors of {@code struct ibv_comp_channel}.
 *
 * <p>Level-triggered: a channel is selected as long as it has events; {@link CompletionChannel#getEvent(Duration)} with a zero timeout fetches
 * them. A channel is in one selector at most, and leaves it when it is closed. Any thread may call, virtual ones as well; several may
 * select.
 */
public final class CompletionSelector implements AutoCloseable {
    private final Lifecycle life = new Lifecycle("completion selector");
    private final List<CompletionChannel> channels = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Grows with each event; who has looked and found nothing sleeps only if it has not grown since. */
    private long changes;

    private CompletionSelector() {}

    /**
     * A selector without channels.
     *
     * @return to be closed by the caller
     */
    public static CompletionSelector open() {
        return new CompletionSelector();
    }

    /**
     * Waits for the events of a channel as well. Idempotent.
     *
     * @param channel stays the program's; closing either undoes it
     * @throws RdmaException EINVAL if either is closed, EBUSY if the channel is in another selector
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
     * Waits for them no more. Idempotent.
     *
     * @param channel one that was added, or any other
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
     * @return the channels that have some; none after {@link #wakeup}, {@link #add} or {@link #remove}, or if another
     *     thread was faster
     * @throws RdmaException EINVAL if the selector is closed, even while waiting
     * @throws InterruptedException if the thread was interrupted before a channel had events
     */
    public List<CompletionChannel> select() throws InterruptedException {
        return select(Long.MAX_VALUE);
    }

    /**
     * As {@link #select()}; empty when the time is over. With a zero timeout it does not wait.
     *
     * @param timeout how long to wait at most; zero only looks
     * @return the channels that have some; none when the time is over, and as {@link #select()}
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

    /** Lets those who wait return at once, with what is there. */
    public void wakeup() {
        lock.lock();
        try {
            changes++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Forgets its channels, which stay open; threads that wait get EINVAL. Idempotent. */
    @Override
    public void close() {
        if (life.close()) {
            List.copyOf(channels).forEach(this::remove);
            wakeup();
        }
    }
}
