// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.spi.ContextOps;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds events for threads of the application, which sleep until one arrives. Corresponds to the event file descriptors
 * of libibverbs. Any thread; a waiting virtual thread does not block its carrier thread.
 *
 * @param <E> type of the events
 */
public final class EventQueue<E> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<E> events = new ArrayDeque<>();
    private final Lifecycle life;
    private final int capacity;
    private final BooleanSupplier over = this::isOver;

    /** The device in which threads may sleep instead of here; null before the first wait. */
    private volatile @Nullable ContextOps device;

    /**
     * @param life lifecycle of the object that the application waits on
     * @param capacity maximum number of events
     */
    public EventQueue(Lifecycle life, int capacity) {
        this.life = life;
        this.capacity = capacity;
    }

    /** Adds an event and wakes a waiter; false if the queue is full. */
    public boolean offer(E event) {
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
     * Wakes a thread that sleeps in the device. Such a thread first announces its sleep to the device, and then checks
     * the queue under the lock. Therefore either the thread sees a change that was made under the lock, or the thread
     * that made the change sees the announcement.
     */
    private void wakeDevice() {
        ContextOps sleptIn = device;
        if (sleptIn != null) {
            sleptIn.wakeSleeper();
        }
    }

    /** True if a waiting thread must return: an event is queued, or the owner is closed. */
    private boolean isOver() {
        lock.lock();
        try {
            return !events.isEmpty() || !life.isOpen();
        } finally {
            lock.unlock();
        }
    }

    public boolean isEmpty() {
        lock.lock();
        try {
            return events.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Removes the next event; null if the queue is empty. */
    @Nullable
    public E poll() {
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
     * @param timeoutNs maximum time to wait, in ns
     * @param driven the device that raises the events; called without the lock each time the thread is about to sleep
     * @return null after the timeout
     * @throws RdmaException EINVAL if the owner is closed, also if that happens during the wait
     */
    @Nullable
    public E poll(long timeoutNs, ContextOps driven) throws InterruptedException {
        long leftNs = timeoutNs;
        while (true) {
            E event = poll();
            if (event != null || leftNs <= 0) {
                return event;
            }
            leftNs = sleep(leftNs, driven);
        }
    }

    /** As {@link #poll(long, ContextOps)}, without a timeout. */
    public E take(ContextOps driven) throws InterruptedException {
        E event;
        do {
            event = poll(TimeUnit.DAYS.toNanos(1), driven);
        } while (event == null);
        return event;
    }

    /**
     * Sleeps in the device if it supports that, else on the condition; may return early. Returns the remaining time in
     * ns.
     */
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

    /** Sleeps while the queue is empty. Returns the remaining time in ns. */
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

    /** Removes events of an object that is destroyed. */
    public void removeIf(Predicate<? super E> obsolete) {
        lock.lock();
        try {
            events.removeIf(obsolete);
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all waiting threads after the owner was closed. */
    public void wakeAll() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        wakeDevice();
    }
}
