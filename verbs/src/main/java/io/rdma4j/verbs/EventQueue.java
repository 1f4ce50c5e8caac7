package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.ContextOps;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
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
    private final BooleanSupplier over = this::isOver;

    /** In which waiters may sleep instead of here. */
    private volatile @Nullable ContextOps device;

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
        } finally {
            lock.unlock();
        }
        wakeDevice();
        return true;
    }

    /**
     * Who sleeps in the device says so there before it looks into the queue for the last time, under the lock. So either it sees what was changed
     * under the lock, or who changed it sees the sleeper.
     */
    private void wakeDevice() {
        ContextOps sleptIn = device;
        if (sleptIn != null) {
            sleptIn.wakeSleeper();
        }
    }

    /** True if there is no reason to wait any more. */
    private boolean isOver() {
        lock.lock();
        try {
            return !events.isEmpty() || !life.isOpen();
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
     * @param driven what brings the events; told each time the thread is about to sleep, without the lock
     * @return null when the time is over
     * @throws RdmaException EINVAL if the owner is closed, even while waiting
     */
    @Nullable
    E poll(long timeoutNs, ContextOps driven) throws InterruptedException {
        long leftNs = timeoutNs;
        while (true) {
            E event = poll();
            if (event != null || leftNs <= 0) {
                return event;
            }
            leftNs = sleep(leftNs, driven);
        }
    }

    /** As {@link #poll(long, ContextOps)}, without a limit. */
    E take(ContextOps driven) throws InterruptedException {
        E event;
        do {
            event = poll(TimeUnit.DAYS.toNanos(1), driven);
        } while (event == null);
        return event;
    }

    /** Sleeps in the device if that may be, else here; may return early. Answers what is left of the time. */
    private long sleep(long timeoutNs, ContextOps driven) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        device = driven;
        long beganNs = System.nanoTime();
        if (driven.sleep(timeoutNs, over)) {
            return timeoutNs - (System.nanoTime() - beganNs);
        }
        long leftNs = awaitChange(timeoutNs);
        driven.afterBlocking();
        return leftNs;
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
        wakeDevice();
    }
}
