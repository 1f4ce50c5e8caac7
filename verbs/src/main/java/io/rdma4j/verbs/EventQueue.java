package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the event file descriptors of the C library are: a queue on which program threads sleep. Any thread; virtual
 * threads that wait do not hold a carrier.
 *
 * @param <E> the events
 */
final class EventQueue<E> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<E> events = new ArrayDeque<>();
    private final Lifecycle life;
    private final int capacity;

    /**
     * @param life of the object that the program waits on
     * @param capacity bound of the queue
     */
    EventQueue(Lifecycle life, int capacity) {
        this.life = life;
        this.capacity = capacity;
    }

    /** Adds an event and wakes a waiter; false if the queue is full. */
    boolean offer(E event) {
        lock.lock();
        try {
            if (events.size() == capacity) {
                return false;
            }
            events.add(event);
            changed.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** True if there is none now. */
    boolean isEmpty() {
        lock.lock();
        try {
            return events.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** The next event, or null if there is none now. */
    @Nullable
    E poll() {
        lock.lock();
        try {
            life.checkOpen();
            return events.poll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for an event.
     *
     * @param timeoutNs at most this long
     * @param beforeSleep run without the lock each time the thread is about to sleep
     * @return null when the time is over
     * @throws RdmaException EINVAL if the owner is closed, even while waiting
     */
    @Nullable
    E poll(long timeoutNs, Runnable beforeSleep) throws InterruptedException {
        long leftNs = timeoutNs;
        while (true) {
            E event = poll();
            if (event != null || leftNs <= 0) {
                return event;
            }
            beforeSleep.run();
            leftNs = awaitChange(leftNs);
        }
    }

    /** As {@link #poll(long, Runnable)}, without a limit. */
    E take(Runnable beforeSleep) throws InterruptedException {
        E event;
        do {
            event = poll(TimeUnit.DAYS.toNanos(1), beforeSleep);
        } while (event == null);
        return event;
    }

    /** Sleeps while the queue is empty; answers what is left of the time. */
    private long awaitChange(long timeoutNs) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNs = timeoutNs;
            while (events.isEmpty() && leftNs > 0) {
                life.checkOpen();
                leftNs = changed.awaitNanos(leftNs);
            }
            return leftNs;
        } finally {
            lock.unlock();
        }
    }

    /** Takes back events that nobody has fetched, since what they are about goes away. */
    void removeIf(Predicate<? super E> obsolete) {
        lock.lock();
        try {
            events.removeIf(obsolete);
        } finally {
            lock.unlock();
        }
    }

    /** The owner was closed: waiters shall see it. */
    void wakeAll() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
