// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.verbs.core.EventCounter;
import io.rdma4j.verbs.core.HandlerCall;
import io.rdma4j.verbs.core.Lifecycle;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Distributes the asynchronous events of a context to its event queue, its handlers and the handler of the affected
 * object. Counts the unacknowledged events.
 *
 * @param <E> type of the events
 */
public final class AsyncEvents<E> {
    /** Maximum number of events that the application has not fetched. Further events are dropped from the queue. */
    private static final int CAPACITY = 4096;

    private static final Logger LOG = System.getLogger(AsyncEvents.class.getName());

    private final EventQueue<E> queue;
    private final Function<E, EventCounter> counters;
    private final List<Registration<E>> registrations = new CopyOnWriteArrayList<>();
    private final AtomicLong dropped = new AtomicLong();

    /** @param key the object of the application that stands for the registration */
    private record Registration<E>(Object key, Consumer<E> handler) {}

    /**
     * @param counters returns the counter of the object that an event affects: the object is not destroyed while one of
     *     its events is unacknowledged
     */
    public AsyncEvents(Lifecycle contextLife, Function<E, EventCounter> counters) {
        this.queue = new EventQueue<>(contextLife, CAPACITY);
        this.counters = counters;
    }

    /** The events that the application has not fetched. */
    public EventQueue<E> queue() {
        return queue;
    }

    /** The number of events dropped because the queue was full. */
    public long dropped() {
        return dropped.get();
    }

    /** Registers a handler under a key; {@link #unregister} removes it. */
    public void register(Object key, Consumer<E> handler) {
        registrations.add(new Registration<>(key, handler));
    }

    public void unregister(Object key) {
        registrations.removeIf(registration -> registration.key().equals(key));
    }

    /** Removes one registration of the handler; false if there is none. */
    public boolean unregisterHandler(Consumer<E> handler) {
        for (Registration<E> registration : registrations) {
            if (registration.handler().equals(handler)) {
                return registrations.remove(registration);
            }
        }
        return false;
    }

    /** @param own the handler of the affected object, if it has one */
    public void dispatch(E event, @Nullable Consumer<E> own) {
        if (!queue.offer(event)) {
            dropped.incrementAndGet();
        }
        if (own != null) {
            call(own, event);
        }
        for (Registration<E> registration : registrations) {
            call(registration.handler(), event);
        }
    }

    /**
     * Calls a handler on the thread that raises the event. An exception of the handler is logged and does not reach
     * that thread.
     */
    private static <E> void call(Consumer<E> handler, E event) {
        try {
            HandlerCall.run(() -> handler.accept(event));
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the handler of event \"" + event + "\" failed", e);
        }
    }

    /** Counts an event as delivered to the application, and returns it. */
    public E deliver(E event) {
        counters.apply(event).delivered();
        return event;
    }

    /** @throws io.rdma4j.base.RdmaException EINVAL if the affected object has no unacknowledged event */
    public void acknowledge(E event) {
        counters.apply(event).acknowledge(1);
    }
}
