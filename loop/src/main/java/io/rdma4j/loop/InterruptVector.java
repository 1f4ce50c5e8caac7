// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * An interrupt of a device that wakes workers: its handlers, the workers that may handle it, and counters ({@code
 * struct irq_desc}). Created by {@link Interrupts}.
 */
public final class InterruptVector {
    /** Maximum number of workers in masks and counters. */
    public static final int MAX_WORKERS = Long.SIZE;

    /** Affinity mask of all workers. */
    static final long ANY = -1;

    private record Action(InterruptHandler handler, boolean shared, String name, Object owner) {}

    private final int number;
    private final boolean exclusive;
    private final AtomicLongArray counts = new AtomicLongArray(MAX_WORKERS);
    private volatile Action[] actions = {};
    private volatile long affinity = ANY;
    private volatile @Nullable LoopThread postedTo;
    private long spurious;

    InterruptVector(int number, boolean exclusive) {
        this.number = number;
        this.exclusive = exclusive;
    }

    /** {@return its number, from 1} */
    public int number() {
        return number;
    }

    /**
     * {@return true for a message-signalled interrupt, which is never shared; false for a line, which may be shared}
     */
    public boolean isExclusive() {
        return exclusive;
    }

    /** {@return names of the handlers, in the order of registration} */
    public List<String> handlers() {
        return Arrays.stream(actions).map(Action::name).toList();
    }

    /**
     * {@return number of times that a worker handled the interrupt}
     *
     * @param worker from 0
     */
    public long count(int worker) {
        return counts.get(worker);
    }

    /** {@return number of interrupts that no handler accepted as its own} */
    public long spurious() {
        return spurious;
    }

    /** {@return mask of the workers that may handle the interrupt, bit 0 for worker 0 ({@code smp_affinity})} */
    public long affinity() {
        return affinity;
    }

    void affinity(long mask) {
        affinity = mask;
    }

    synchronized void add(InterruptHandler handler, boolean shared, String name, Object owner) {
        if (exclusive && shared) {
            throw new RdmaException(
                    Errno.EINVAL, "interrupt " + number + " is message-signalled: such are never shared");
        }
        for (Action other : actions) {
            if (!shared || !other.shared) {
                throw new RdmaException(
                        Errno.EBUSY,
                        "interrupt " + number + " is handled by " + other.name + "; it is shared only if both agree");
            }
        }
        actions = Arrays.copyOf(actions, actions.length + 1);
        actions[actions.length - 1] = new Action(handler, shared, name, owner);
    }

    @SuppressWarnings("ReferenceEquality") // an owner is itself
    synchronized void remove(Object owner) {
        actions = Arrays.stream(actions).filter(action -> action.owner != owner).toArray(Action[]::new);
    }

    /** Counts the interrupt and calls the handlers; on the thread of a worker. */
    void handle(int worker) {
        counts.setOpaque(worker, counts.getPlain(worker) + 1);
        boolean handled = false;
        for (Action action : actions) {
            handled |= action.handler.handle(number);
        }
        if (!handled) {
            spurious++;
        }
    }

    /**
     * Leaves the interrupt to another worker than the one that was woken. Until that worker has handled it, the
     * interrupt wakes no thread.
     */
    void postTo(LoopThread worker) {
        postedTo = worker;
    }

    /** True if the interrupt waits for a worker. */
    boolean isPosted() {
        return postedTo != null;
    }

    /** Handles the interrupt if it was posted to {@code worker}. */
    @SuppressWarnings("ReferenceEquality") // a worker is itself
    boolean handleIfPostedTo(LoopThread worker) {
        if (postedTo != worker) {
            return false;
        }
        handle(worker.number());
        postedTo = null;
        return true;
    }
}
