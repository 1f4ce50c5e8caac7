package io.rdma4j.verbs;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Distributes the asynchronous events of a context to its event queue, its handlers and the handler of the affected
 * object. Counts the unacknowledged events.
 */
final class AsyncEvents {
    /** Maximum number of events that the application has not fetched. Further events are dropped from the queue. */
    private static final int CAPACITY = 4096;

    private static final Logger LOG = System.getLogger(AsyncEvents.class.getName());

    private final EventQueue<AsyncEvent> queue;
    private final List<EventRegistration> registrations = new CopyOnWriteArrayList<>();

    /** Unacknowledged events of ports and of the device. */
    private final EventCounter ofContext = new EventCounter("asynchronous events");

    private final AtomicLong dropped = new AtomicLong();

    AsyncEvents(Lifecycle contextLife) {
        this.queue = new EventQueue<>(contextLife, CAPACITY);
    }

    /** The events that the application has not fetched. */
    EventQueue<AsyncEvent> queue() {
        return queue;
    }

    /** The number of events dropped because the queue was full. */
    long dropped() {
        return dropped.get();
    }

    void register(EventRegistration registration) {
        registrations.add(registration);
    }

    void unregister(EventRegistration registration) {
        registrations.remove(registration);
    }

    /** Removes one registration of the handler; false if there is none. */
    boolean unregister(Consumer<AsyncEvent> handler) {
        for (EventRegistration registration : registrations) {
            if (registration.handler().equals(handler)) {
                return registrations.remove(registration);
            }
        }
        return false;
    }

    /** @param own the handler of the affected object, if it has one */
    void dispatch(AsyncEvent event, @Nullable Consumer<AsyncEvent> own) {
        if (!queue.offer(event)) {
            dropped.incrementAndGet();
        }
        if (own != null) {
            call(own, event);
        }
        for (EventRegistration registration : registrations) {
            call(registration.handler(), event);
        }
    }

    /**
     * Calls a handler on the thread that raises the event. An exception of the handler is logged and does not reach
     * that thread.
     */
    private static void call(Consumer<AsyncEvent> handler, AsyncEvent event) {
        try {
            handler.accept(event);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the handler of event \"" + event + "\" failed", e);
        }
    }

    /** Counts an event as delivered to the application, and returns it. */
    AsyncEvent deliver(AsyncEvent event) {
        counter(event).delivered();
        return event;
    }

    /** @throws io.rdma4j.base.RdmaException EINVAL if the affected object has no unacknowledged event */
    void acknowledge(AsyncEvent event) {
        counter(event).acknowledge(1);
    }

    /** The counter of the affected object: the object is not destroyed while one of its events is unacknowledged. */
    private EventCounter counter(AsyncEvent event) {
        if (event.completionQueue() != null) {
            return event.completionQueue().asyncEventCounter();
        }
        if (event.sharedReceiveQueue() != null) {
            return event.sharedReceiveQueue().asyncEventCounter();
        }
        return event.queuePair() != null ? event.queuePair().asyncEventCounter() : ofContext;
    }
}
