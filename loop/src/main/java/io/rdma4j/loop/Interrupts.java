// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The interrupt vectors of a host. Each vector wakes a worker of the loop when a device's link has a packet. Any
 * thread; control path, except for the methods that workers call.
 */
public final class Interrupts {
    private final LoopThreads workers;
    private volatile InterruptVector[] vectors = {};
    private int last;

    Interrupts(LoopThreads workers) {
        this.workers = workers;
    }

    /**
     * Creates a vector without handlers.
     *
     * @param exclusive true for a message-signalled interrupt, which is never shared
     * @return the vector, with a unique number
     */
    public synchronized InterruptVector allocate(boolean exclusive) {
        InterruptVector vector = new InterruptVector(++last, exclusive);
        vectors = Arrays.copyOf(vectors, vectors.length + 1);
        vectors[vectors.length - 1] = vector;
        return vector;
    }

    /** Removes a vector that has no handlers any more. */
    @SuppressWarnings("ReferenceEquality") // a vector is itself
    synchronized void release(InterruptVector vector) {
        vectors = Arrays.stream(vectors).filter(other -> other != vector).toArray(InterruptVector[]::new);
    }

    /**
     * Registers a handler ({@code request_irq}).
     *
     * @param irq number of the vector, from 1
     * @param handler called by the worker that handles the interrupt
     * @param shared true if the vector may have other handlers ({@code IRQF_SHARED})
     * @param name name in {@link #lines}
     * @param owner key with which {@link #free} removes the handler
     * @throws RdmaException EINVAL if there is no such vector, or a message-signalled one is to be shared; EBUSY if the
     *     vector has a handler and not both are shared
     */
    public void request(int irq, InterruptHandler handler, boolean shared, String name, Object owner) {
        vector(irq).add(handler, shared, name, owner);
    }

    /**
     * Removes the handler of {@code owner} ({@code free_irq}); does nothing if there is none. A handler call in
     * progress continues.
     *
     * @param irq number of the vector, from 1
     * @param owner key of the registration
     * @throws RdmaException EINVAL if there is no such vector
     */
    public void free(int irq, Object owner) {
        vector(irq).remove(owner);
    }

    /**
     * Sets the workers that may handle a vector ({@code /proc/irq/N/smp_affinity}).
     *
     * @param irq number of the vector, from 1
     * @param mask bit 0 for worker 0
     * @throws RdmaException EINVAL if there is no such vector, or none of the workers exists
     */
    public void affinity(int irq, long mask) {
        InterruptVector vector = vector(irq);
        if ((mask & workers.mask()) == 0) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "affinity " + Long.toHexString(mask) + " of interrupt " + irq + ": the workers are "
                            + Long.toHexString(workers.mask()));
        }
        vector.affinity(mask);
    }

    /**
     * {@return the vector with a number}
     *
     * @param irq number of the vector, from 1
     * @throws RdmaException EINVAL if there is none
     */
    public InterruptVector vector(int irq) {
        for (InterruptVector vector : vectors) {
            if (vector.number() == irq) {
                return vector;
            }
        }
        throw new RdmaException(Errno.EINVAL, "there is no interrupt " + irq);
    }

    /** {@return all vectors} */
    public List<InterruptVector> vectors() {
        return List.of(vectors);
    }

    /**
     * {@return lines in the format of {@code /proc/interrupts}: a head line with the workers, then for each vector its
     * wake-ups by worker, its kind and its handlers}
     */
    public List<String> lines() {
        int columns = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(workers.mask()));
        List<String> lines = new ArrayList<>();
        StringBuilder head = new StringBuilder("    ");
        for (int worker = 0; worker < columns; worker++) {
            head.append(String.format("%12s", "W" + worker));
        }
        lines.add(head.toString());
        for (InterruptVector vector : vectors) {
            StringBuilder line = new StringBuilder(String.format("%3d:", vector.number()));
            for (int worker = 0; worker < columns; worker++) {
                line.append(String.format("%12d", vector.count(worker)));
            }
            line.append(vector.isExclusive() ? "   MSI    " : "   LINE   ")
                    .append(String.join(", ", vector.handlers()));
            lines.add(line.toString());
        }
        return lines;
    }

    /** Handles an interrupt on {@code woken} if the affinity allows it, else posts it to the first allowed worker. */
    @SuppressWarnings("ReferenceEquality") // a worker is itself
    void raise(InterruptVector vector, LoopThread woken) {
        LoopThread target = workers.first(vector.affinity(), woken);
        if (target == woken) {
            vector.handle(woken.number());
        } else {
            vector.postTo(target);
            target.interrupt();
        }
    }

    /** Handles the vectors that were posted to {@code worker}; on its thread. */
    void handlePosted(LoopThread worker) {
        for (InterruptVector vector : vectors) {
            if (vector.handleIfPostedTo(worker)) {
                workers.wakeAll();
            }
        }
    }
}
