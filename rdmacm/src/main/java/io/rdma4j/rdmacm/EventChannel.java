// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The queue of the events of some {@link RdmaId}s, in the order of their arrival. Corresponds to {@code struct
 * rdma_event_channel}. Any thread, also virtual ones.
 *
 * {@snippet :
 * try (ConnectionEvent event = channel.get()) {
 *     if (event.type() == ConnectionEventType.CONNECT_REQUEST) {
 *         event.id().accept(ConnectParameters.DEFAULT);
 *     }
 * }
 * }
 */
public final class EventChannel implements AutoCloseable {
    private final ManagerLock lock;
    private final Condition arrival;
    // Guarded by the lock.
    private final Deque<ConnectionEvent> events = new ArrayDeque<>();
    private final Deque<CompletableFuture<ConnectionEvent>> futures = new ArrayDeque<>();
    private int ids;
    private boolean isClosed;
    private IntConsumer counter = _ -> {};

    EventChannel(ManagerLock lock) {
        this.lock = lock;
        arrival = lock.newCondition();
    }

    /**
     * Counts the events that wait, for a file descriptor that a program polls. Corresponds to the descriptor of a
     * channel.
     *
     * @param changes called with 1 for an event that arrives, and with -1 for one that is removed because its id is
     *     closed or moved. Fetched events are not counted off. Holds the lock of rdma_cm and must not block
     */
    public void countEvents(IntConsumer changes) {
        lock.locked(() -> {
            counter = changes;
            return true;
        });
    }

    /** {@return the next event, or null if there is none now} Corresponds to a channel with {@code O_NONBLOCK}. */
    public @Nullable ConnectionEvent poll() {
        return lock.locked(() -> {
            checkOpen();
            return take();
        });
    }

    /**
     * {@return the next event, for which the call waits} Corresponds to {@code rdma_get_cm_event}.
     *
     * @throws InterruptedException if the thread is interrupted
     * @throws RdmaException EINVAL if the channel is closed, also while the call waits
     */
    public ConnectionEvent get() throws InterruptedException {
        return lock.lockedInterruptibly(() -> {
            ConnectionEvent event = takeOrCheck();
            while (event == null) {
                arrival.await();
                event = takeOrCheck();
            }
            return event;
        });
    }

    /**
     * {@return the next event, or null if none arrives in time}
     *
     * @param timeout how long the call waits
     * @throws InterruptedException if the thread is interrupted
     * @throws RdmaException EINVAL if the channel is closed, also while the call waits
     */
    public @Nullable ConnectionEvent get(Duration timeout) throws InterruptedException {
        return lock.lockedInterruptibly(() -> {
            long leftNs = timeout.toNanos();
            ConnectionEvent event = takeOrCheck();
            while (event == null && leftNs > 0) {
                leftNs = arrival.awaitNanos(leftNs);
                event = takeOrCheck();
            }
            return event;
        });
    }

    /**
     * {@return a future of the next event} Futures get events in the order of the calls, before threads that wait. The
     * thread that drives the device completes them, so what depends on them must not block. A closed channel completes
     * them exceptionally with EINVAL.
     */
    public CompletableFuture<ConnectionEvent> next() {
        return lock.locked(() -> {
            CompletableFuture<ConnectionEvent> future = new CompletableFuture<>();
            if (isClosed) {
                future.completeExceptionally(closed());
                return future;
            }
            ConnectionEvent event = take();
            if (event == null) {
                futures.add(future);
            } else {
                future.complete(event);
            }
            return future;
        });
    }

    private void checkOpen() {
        if (isClosed) {
            throw closed();
        }
    }

    private static RdmaException closed() {
        return new RdmaException(Errno.EINVAL, "the event channel is closed");
    }

    private @Nullable ConnectionEvent takeOrCheck() {
        checkOpen();
        return take();
    }

    // All below: with the lock.

    private @Nullable ConnectionEvent take() {
        ConnectionEvent event = events.poll();
        if (event != null) {
            event.owner().fetched(event);
        }
        return event;
    }

    void post(ConnectionEvent event) {
        CompletableFuture<ConnectionEvent> future = futures.poll();
        if (future == null) {
            events.add(event);
            counter.accept(1);
            arrival.signal();
        } else {
            event.owner().fetched(event);
            lock.defer(() -> {
                if (!future.complete(event)) {
                    event.close(); // The program has cancelled the future.
                }
            });
        }
    }

    /** Removes and returns the events that the program has not fetched. */
    List<ConnectionEvent> remove(Predicate<ConnectionEvent> condition) {
        List<ConnectionEvent> removed = new ArrayList<>();
        events.removeIf(event -> condition.test(event) && removed.add(event));
        removed.forEach(_ -> counter.accept(-1));
        return removed;
    }

    void addId() {
        checkOpen();
        ids++;
    }

    void removeId() {
        ids--;
    }

    /**
     * Closes the channel. Corresponds to {@code rdma_destroy_event_channel}. Idempotent.
     *
     * @throws RdmaException EBUSY if ids use the channel
     */
    @Override
    public void close() {
        lock.locked(() -> {
            if (ids > 0) {
                throw new RdmaException(Errno.EBUSY, "the event channel has " + ids + " ids");
            }
            isClosed = true;
            arrival.signalAll();
            for (CompletableFuture<ConnectionEvent> future : futures) {
                lock.defer(() -> future.completeExceptionally(closed()));
            }
            futures.clear();
            return true;
        });
    }
}
