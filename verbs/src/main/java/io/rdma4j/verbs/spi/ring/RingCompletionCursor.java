// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.SpinLock;
import io.rdma4j.verbs.core.HandlerCall;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;

/** The polling end of a {@link CompletionRing}: one object per completion queue, reused by every poll. */
public final class RingCompletionCursor implements CompletionCursor {
    /** Maximum time that an event handler waits for the thread that polls the queue. */
    private static final long HANDLER_TIMEOUT_NS = 10_000_000;

    private static final int SHORT_MASK = 0xFFFF;
    private static final int BYTE_MASK = 0xFF;

    private final CompletionRing queue;
    private final Runnable progress;
    private final SpinLock lock = new SpinLock();

    /**
     * Id of the thread that holds the lock. Other threads may read a stale value. A thread only compares it with its
     * own id.
     */
    private long holder;

    private Ring ring;
    private RingMemory memory;
    private int first;
    private int consumer;
    private int producer;
    private long entry;

    /**
     * Creates the cursor of a queue; a queue has one cursor.
     *
     * @param queue the queue to poll
     * @param progress drives the device on the calling thread; runs when a poll finds the queue empty
     */
    public RingCompletionCursor(CompletionRing queue, Runnable progress) {
        this.queue = queue;
        this.progress = progress;
        follow(queue.ring());
    }

    /** Continues at the consumer index of this ring. */
    private void follow(Ring next) {
        ring = next;
        memory = next.memory();
        consumer = next.ownConsumer();
    }

    /**
     * Begins a poll: the calling thread owns the queue until {@link #close()}.
     *
     * @return this cursor, before the first completion
     * @throws RdmaException EDEADLK if the calling thread is already polling the queue; EBUSY if it runs an event
     *     handler and another thread polls the queue; EFAULT if the application has freed the memory of the queue
     */
    public CompletionCursor start() {
        lock();
        try {
            Ring now = queue.ring();
            if (now != ring) {
                follow(now);
            }
            first = consumer;
            producer = ring.acquireProducer();
        } catch (IllegalStateException closed) {
            unlock();
            throw new RdmaException(Errno.EFAULT, "the program has closed the memory of this completion queue", closed);
        }
        return this;
    }

    /** {@return the number of waiting completions} Spins while another thread polls. */
    public int waiting() {
        try (CompletionCursor _ = start()) {
            return ring.distance(producer, first);
        }
    }

    /**
     * Runs an operation while no thread polls, such as {@link CompletionRing#resize}.
     *
     * @param operation short, because polling threads spin meanwhile
     * @throws RdmaException EDEADLK if the calling thread is polling the queue
     */
    public void exclusively(Runnable operation) {
        lock();
        try {
            operation.run();
        } finally {
            unlock();
        }
    }

    /**
     * Removes the waiting completions of a queue pair, which posts no more of them meanwhile. The others keep their
     * order. A thread that is polling the queue may call it; the completion that the cursor points at stays valid.
     *
     * @param qpNumber 24 bits
     * @throws RdmaException EBUSY if the calling thread runs an event handler and another thread polls the queue
     */
    public void discard(int qpNumber) {
        if (holder == Thread.currentThread().threadId()) {
            compact(qpNumber);
            return;
        }
        start();
        try {
            compact(qpNumber);
        } finally {
            close();
        }
    }

    /** Moves the completions that stay to the end of the waiting ones; the polling end owns all of them. */
    private void compact(int qpNumber) {
        producer = ring.acquireProducer();
        int kept = producer;
        for (int from = producer; from != consumer; ) {
            from = ring.previous(from);
            if (RingMemory.first(memory.get(ring.offset(from) + CompletionRing.QP_NUMBER_AND_IMMEDIATE)) != qpNumber) {
                kept = ring.previous(kept);
                if (kept != from) {
                    memory.copyTo(ring.offset(from), memory, ring.offset(kept), ring.elementBytes());
                }
            }
        }
        consumer = kept;
    }

    /** Throws instead of a deadlock if an event handler polls the queue on a thread that already polls it. */
    private void lock() {
        long self = Thread.currentThread().threadId();
        if (holder == self) {
            throw new RdmaException(
                    Errno.EDEADLK,
                    "this thread is polling this completion queue already: an event handler must leave the queue to"
                            + " another thread, and a cursor must be closed before the next poll");
        }
        if (!lock.tryLock()) {
            await();
        }
        holder = self;
    }

    /**
     * Waits for the thread that polls the queue. An event handler gives up after a short time, because that thread may
     * wait for the device, which waits for the handler.
     */
    private void await() {
        if (!HandlerCall.isRunning()) {
            lock.lock();
            return;
        }
        long beganNs = System.nanoTime();
        while (!lock.tryLock()) {
            if (System.nanoTime() - beganNs > HANDLER_TIMEOUT_NS) {
                throw new RdmaException(
                        Errno.EBUSY,
                        "another thread is polling this completion queue: an event handler cannot wait for it, because"
                                + " that thread may wait for the handler");
            }
            Thread.onSpinWait();
        }
    }

    private void unlock() {
        holder = 0;
        lock.unlock();
    }

    @Override
    public boolean next() {
        if (consumer == producer) {
            if (consumer == first) {
                progress.run();
            }
            producer = ring.acquireProducer();
            if (consumer == producer) {
                return false;
            }
        }
        entry = ring.offset(consumer);
        consumer = ring.next(consumer);
        return true;
    }

    @Override
    public long wrId() {
        return memory.get(entry, CompletionRing.WR_ID);
    }

    @Override
    public WcStatus status() {
        return WcStatus.ofCode(RingMemory.first(memory.get(entry, CompletionRing.STATUS_AND_OPCODE)));
    }

    @Override
    public WcOpcode opcode() {
        return WcOpcode.ofCode(RingMemory.second(memory.get(entry, CompletionRing.STATUS_AND_OPCODE)));
    }

    @Override
    public int vendorError() {
        return RingMemory.first(memory.get(entry, CompletionRing.VENDOR_ERROR_AND_LENGTH));
    }

    @Override
    public int byteLength() {
        return RingMemory.second(memory.get(entry, CompletionRing.VENDOR_ERROR_AND_LENGTH));
    }

    @Override
    public int qpNumber() {
        return RingMemory.first(memory.get(entry, CompletionRing.QP_NUMBER_AND_IMMEDIATE));
    }

    @Override
    public int flags() {
        return RingMemory.second(memory.get(entry, CompletionRing.SOURCE_QP_AND_FLAGS));
    }

    @Override
    public int immediate() {
        return RingMemory.second(memory.get(entry, CompletionRing.QP_NUMBER_AND_IMMEDIATE));
    }

    @Override
    public int sourceQp() {
        return RingMemory.first(memory.get(entry, CompletionRing.SOURCE_QP_AND_FLAGS));
    }

    @Override
    public int pkeyIndex() {
        return RingMemory.first(route()) & SHORT_MASK;
    }

    @Override
    public int sourceLid() {
        return RingMemory.first(route()) >>> Short.SIZE;
    }

    @Override
    public int serviceLevel() {
        return (byte) RingMemory.second(route());
    }

    @Override
    public int destinationPathBits() {
        return (byte) (RingMemory.second(route()) >> Byte.SIZE);
    }

    @Override
    public int port() {
        return RingMemory.second(route()) >> Short.SIZE & BYTE_MASK;
    }

    private long route() {
        return memory.get(entry, CompletionRing.ROUTE);
    }

    @Override
    public long timestampNs() {
        return memory.get(entry, CompletionRing.TIMESTAMP);
    }

    @Override
    public void close() {
        if (consumer != first) {
            ring.publishConsumer(consumer);
        }
        unlock();
    }
}
