// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.SpinLock;
import io.rdma4j.transport.Engine;
import io.rdma4j.transport.QpEngine;
import io.rdma4j.transport.port.LinkDelivery;
import org.jspecify.annotations.Nullable;

/**
 * The link between two connected queue pairs of one port: while it exists, a thread that posts delivers its messages
 * itself, without the port loop.
 *
 * <p>The lock of the link guards the engines of both queue pairs. A posting thread takes it for one batch of requests.
 * The owner of the port loop takes it for each call of one of the engines, so nothing else about the engines changes. A
 * posting thread that holds the lock runs no code of the application and waits for no thread that waits for the loop.
 * Therefore the owner of the loop may wait for the lock.
 *
 * <p>Locks are taken in this order: port loop, send queue, link, completion queues.
 */
final class QpLink {
    /** A posting thread that finds the lock held tries again this many times before it sets the doorbell. */
    private static final int TRIES = 64;

    private final QpLinks links;
    private final QpEngine first;
    private final QpEngine second;
    private final SpinLock lock = new SpinLock();
    private final LinkDelivery delivery = new LinkDelivery();

    /** False once no message may be delivered. Guarded by the lock, like the error of a posting thread. */
    private boolean open = true;

    private @Nullable Throwable failure;

    /** The queue pairs no longer have this link. Guarded by the port loop. */
    private boolean dissolved;

    /** The owner of the port loop holds the lock. Guarded by the port loop. */
    private boolean held;

    QpLink(QpLinks links, QpEngine first, QpEngine second) {
        this.links = links;
        this.first = first;
        this.second = second;
    }

    LinkDelivery delivery() {
        return delivery;
    }

    // For posting threads

    /**
     * Delivers the posted requests of a queue pair. The calling thread owns its send queue.
     *
     * @return true if no request is left and no event is due; otherwise the caller sets the doorbell
     */
    boolean deliver(Engine from) {
        if (!links.areForPosters() || !tryLock()) {
            return false;
        }
        try {
            boolean delivered = open && deliver(from, /* inLoop= */ false);
            if (delivered) {
                links.noteDelivery();
            }
            return delivered;
        } catch (Throwable error) {
            // The owner of the loop throws it, and takes the port out of service.
            failure = error;
            open = false;
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean tryLock() {
        for (int i = 0; i < TRIES; i++) {
            if (lock.tryLock()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    @SuppressWarnings("ReferenceEquality") // one object per queue pair
    private boolean deliver(Engine from, boolean inLoop) {
        QpEngine sender = from == first ? first : second;
        return sender.deliver(sender == first ? second : first, delivery, inLoop);
    }

    // For the owner of the port loop

    /**
     * Takes the lock. Returns false if the owner of the loop holds it already: then the caller must not release it.
     */
    boolean hold() {
        if (held) {
            return false;
        }
        lock.lock();
        held = true;
        return true;
    }

    void release() {
        held = false;
        lock.unlock();
    }

    /** Raises the events of messages that were delivered; the lock is not held. */
    void raiseEvents() {
        first.raiseEvents();
        second.raiseEvents();
    }

    /** Delivers the posted requests of a queue pair; the lock is held. {@link #raiseEvents} follows. */
    void deliverInLoop(Engine from) {
        if (failure != null) {
            throw new IllegalStateException("a delivery of a posting thread has failed", failure);
        }
        if (open && links.areOpen()) {
            deliver(from, /* inLoop= */ true);
        }
    }

    /** Ends all deliveries; the lock is held. */
    void dissolve() {
        open = false;
        dissolved = true;
    }

    boolean isDissolved() {
        return dissolved;
    }
}
