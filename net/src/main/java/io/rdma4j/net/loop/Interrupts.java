package io.rdma4j.net.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The interrupt vectors of a host: each wakes a worker of its loop when the link of a device has something. Any thread; control
 * path, but for what the workers do.
 */
public final class Interrupts {
    private final LoopWatchers workers;
    private volatile InterruptVector[] vectors = {};
    private int last;

    Interrupts(LoopWatchers workers) {
        this.workers = workers;
    }

    /**
     * Makes a vector, which nobody handles yet.
     *
     * @param exclusive true for a message-signalled interrupt, which is never shared
     * @return the vector, with a number that no other has
     */
    public synchronized InterruptVector allocate(boolean exclusive) {
        InterruptVector vector = new InterruptVector(++last, exclusive);
        vectors = Arrays.copyOf(vectors, vectors.length + 1);
        vectors[vectors.length - 1] = vector;
        return vector;
    }

    /** Gives back a vector that nobody handles any more. */
    @SuppressWarnings("ReferenceEquality") // a vector is itself
    synchronized void release(InterruptVector vector) {
        vectors = Arrays.stream(vectors).filter(other -> other != vector).toArray(InterruptVector[]::new);
    }

    /**
     * Registers a handler ({@code request_irq}).
     *
     * @param irq number of the vector, from 1
     * @param handler called by the worker that finds the interrupt
     * @param shared whether others may handle it as well ({@code IRQF_SHARED})
     * @param name for {@link #lines}
     * @param owner by which {@link #free} finds the handler again
     * @throws RdmaException EINVAL if there is no such vector, or a message-signalled one is to be shared; EBUSY if it is
     *     handled and not shared by both
     */
    public void request(int irq, InterruptHandler handler, boolean shared, String name, Object owner) {
        vector(irq).add(handler, shared, name, owner);
    }

    /**
     * Removes the handler of {@code owner} ({@code free_irq}); nothing happens if it has none. A call that is under way goes on.
     *
     * @param irq number of the vector, from 1
     * @param owner as it was registered with
     * @throws RdmaException EINVAL if there is no such vector
     */
    public void free(int irq, Object owner) {
        vector(irq).remove(owner);
    }

    /**
     * Changes which workers may handle a vector ({@code /proc/irq/N/smp_affinity}).
     *
     * @param irq number of the vector, from 1
     * @param mask bit 0 for worker 0
     * @throws RdmaException EINVAL if there is no such vector, or none of these workers
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
     * {@return a head line with the workers, then a line for each vector: its wake-ups by worker, kind and handlers
     * ({@code /proc/interrupts})}
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

    /** The link of a device has something: {@code woken} handles it, or the first worker that may. */
    @SuppressWarnings("ReferenceEquality") // a worker is itself
    void raise(InterruptVector vector, LoopWatcher woken) {
        LoopWatcher target = workers.first(vector.affinity(), woken);
        if (target == woken) {
            vector.handle(woken.number());
        } else {
            vector.postTo(target);
            target.interrupt();
        }
    }

    /** Handles what was posted to a worker; on its thread. */
    void handlePosted(LoopWatcher worker) {
        for (InterruptVector vector : vectors) {
            if (vector.handleIfPostedTo(worker)) {
                workers.wakeAll();
            }
        }
    }
}
