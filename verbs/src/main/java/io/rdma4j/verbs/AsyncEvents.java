package io.rdma4j.verbs;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Spreads the asynchronous events of a context to its queue, its handlers, and the handler of the object concerned; counts those
 * that the program has and has not acknowledged.
 */
final class AsyncEvents {
    /** Events kept for a program that does not fetch them; far more than there are causes at a time. */
    private static final int CAPACITY = 4096;

    private static final Logger LOG = System.getLogger(AsyncEvents.class.getName());

    private final EventQueue<AsyncEvent> queue;
    private final List<EventRegistration> registrations = new CopyOnWriteArrayList<>();

    /** Of ports and the device. */
    private final EventCounter ofContext = new EventCounter("asynchronous events");

    private final AtomicLong dropped = new AtomicLong();

    AsyncEvents(Lifecycle contextLife) {
        this.queue = new EventQueue<>(contextLife, CAPACITY);
    }

    /** Where the program fetches them. */
    EventQueue<AsyncEvent> queue() {
        return queue;
    }

    /** Events that found the queue full. */
    long dropped() {
        return dropped.get();
    }

    void register(EventRegistration registration) {
        registrations.add(registration);
    }

    void unregister(EventRegistration registration) {
        registrations.remove(registration);
    }

    /** Takes back one registration of the handler; false if there is none. */
    boolean unregister(Consumer<AsyncEvent> handler) {
        for (EventRegistration registration : registrations) {
            if (registration.handler().equals(handler)) {
                return registrations.remove(registration);
            }
        }
        return false;
    }

    /** @param own the handler of the object concerned */
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

    /** A handler runs on the device's thread, which must survive whatever the program does there. */
    private static void call(Consumer<AsyncEvent> handler, AsyncEvent event) {
        try {
            handler.accept(event);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the handler of event \"" + event + "\" failed", e);
        }
    }

    /** Counts an event that is handed to the program, and returns it. */
    AsyncEvent deliver(AsyncEvent event) {
        counter(event).delivered();
        return event;
    }

    /** @throws io.rdma4j.base.RdmaException EINVAL if no event of that object waits for it */
    void acknowledge(AsyncEvent event) {
        counter(event).acknowledge(1);
    }

    /** Events are counted where they come from, so that an object is not destroyed while one is yet to be dealt with. */
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
