// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.SpinLock;
import io.rdma4j.transport.Engine;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.TransportCounters;
import org.jspecify.annotations.Nullable;

/**
 * The link of a queue pair to its peer on the same machine: while it exists, a thread that posts delivers its messages
 * itself, without the port loop.
 *
 * <p>The lock of the link guards the engines of its queue pairs. A posting or polling thread takes it for one batch of
 * requests. The owner of the port loop takes it for each call of one of the engines, so nothing else about the engines
 * changes. A posting or polling thread that holds the lock runs no code of the application and waits for no thread that
 * waits for the loop. Therefore the owner of the loop may wait for the lock.
 *
 * <p>Locks are taken in this order: port loop, send queue, link, completion queues.
 */
abstract class QpLink extends SpinLock {
    /** A posting thread that finds the lock held tries again this many times before it sets the doorbell. */
    private static final int TRIES = 64;

    private final QpLinks links;
    private final LinkDelivery delivery = new LinkDelivery();

    /** False once no message may be delivered. Guarded by the lock, like the error of a posting thread. */
    private boolean open = true;

    private @Nullable Throwable failure;

    /** A bad access to memory by a posting or polling thread, which ends the queue pair. */
    private @Nullable InternalError fault;

    /** The queue pairs no longer have this link. Guarded by the port loop. */
    private boolean dissolved;

    /** The owner of the port loop holds the lock. Guarded by the port loop. */
    private boolean held;

    /** Index in the list of {@link QpLinks}. Guarded by the port loop. */
    int place;

    QpLink(QpLinks links) {
        this.links = links;
    }

    final QpLinks links() {
        return links;
    }

    final LinkDelivery delivery() {
        return delivery;
    }

    /**
     * Delivers the posted requests of a queue pair. The lock is held.
     *
     * @param inLoop whether the caller owns the port loop
     * @return false if the owner of the port loop has something to do
     */
    abstract boolean deliver(Engine from, boolean inLoop);

    /**
     * Executes what the peer has sent, and completes what it has executed. The lock is held by a polling thread.
     *
     * @return false if the owner of the port loop has something to do
     */
    boolean take() {
        return true;
    }

    /** Raises the events of messages that were delivered; the lock is not held. For the owner of the port loop. */
    abstract void raiseEvents();

    /** Adds the counts of messages to the counters of the port. The lock is held, by the owner of the loop. */
    void moveCounts(TransportCounters counters) {
        delivery.moveTo(counters);
    }

    /**
     * Takes note of the messages that the peer has stored, before the engine handles a packet of the peer or is
     * queried. The lock is held, by the owner of the loop.
     */
    void passStores() {}

    /**
     * Waits until the peer does not store into memory of this process. The lock is held, by the owner of the loop.
     *
     * @return false if the peer does not run: then the caller dissolves the link
     */
    boolean awaitStores() {
        return true;
    }

    /** Leaves the peer; the lock is held, by the owner of the loop. */
    void leave() {}

    // For posting and polling threads

    /**
     * Delivers the posted requests of a queue pair. The calling thread owns its send queue.
     *
     * @return true if the owner of the port loop has nothing to do; otherwise the caller sets the doorbell
     */
    final boolean deliver(Engine from) {
        if (!links.areForPosters() || !tryLockRepeatedly()) {
            return false;
        }
        try {
            return end(open && deliver(from, /* inLoop= */ false));
        } catch (Throwable error) {
            return fail(error);
        } finally {
            unlock();
        }
    }

    /** Takes the lock if it is free and threads may deliver; then {@link #takeAndUnlock} follows. */
    final boolean tryEnter() {
        return links.areForPosters() && tryLock();
    }

    /** Calls {@link #take} and releases the lock; returns false if the owner of the port loop has something to do. */
    final boolean takeAndUnlock() {
        try {
            return end(open && take());
        } catch (Throwable error) {
            return fail(error);
        } finally {
            unlock();
        }
    }

    private boolean end(boolean delivered) {
        if (delivered) {
            links.noteDelivery();
        }
        MemoryFaults.report();
        return delivered;
    }

    private boolean fail(Throwable error) {
        open = false;
        if (error instanceof InternalError gone) {
            fault = gone;
        } else {
            // The owner of the loop throws it, and takes the port out of service.
            failure = error;
        }
        return false;
    }

    private boolean tryLockRepeatedly() {
        for (int i = 0; i < TRIES; i++) {
            if (tryLock()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    // For the owner of the port loop

    /**
     * Takes the lock. Returns false if the owner of the loop holds it already: then the caller must not release it.
     */
    final boolean hold() {
        if (held) {
            return false;
        }
        lock();
        held = true;
        return true;
    }

    final void release() {
        held = false;
        unlock();
    }

    /**
     * Delivers the posted requests of a queue pair; the lock is held. {@link #raiseEvents} follows.
     *
     * @throws InternalError for a bad access to memory
     */
    final void deliverInLoop(Engine from) {
        if (failure != null) {
            throw new IllegalStateException("a delivery of a posting thread has failed", failure);
        }
        InternalError gone = fault;
        if (gone != null) {
            fault = null;
            throw new InternalError("a posting or polling thread has found memory that is gone", gone);
        }
        if (open && links.areOpen()) {
            deliver(from, /* inLoop= */ true);
        }
    }

    /** Ends all deliveries; the lock is held. */
    final void dissolve() {
        open = false;
        dissolved = true;
        leave();
    }

    final boolean isDissolved() {
        return dissolved;
    }
}
