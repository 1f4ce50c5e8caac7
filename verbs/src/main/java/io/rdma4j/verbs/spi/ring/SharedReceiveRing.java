// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.ReceiveBatch;
import java.lang.foreign.SegmentAllocator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A shared receive queue: a {@link ReceiveQueue}, the limit, the posting end and the device's end. Corresponds to
 * {@code rxe_srq} and {@code get_srq_wqe}.
 *
 * <p>One port loop serves all queue pairs of the shared queue and is the ring's single consumer. A queue pair copies
 * the element that it takes and so releases the slot at once, because messages of other queue pairs may complete before
 * its own.
 */
public final class SharedReceiveRing {
    private final @Nullable SegmentAllocator memory;
    private final Consumer<EventType> onEvent;
    private final RingReceiveBatch client;
    private ReceiveQueue queue;
    private boolean broken;

    /** The limit; 0 if not armed. The application arms it, the device disarms it. */
    private final AtomicInteger limit;

    /**
     * Creates a queue with at least these sizes on the Java heap.
     *
     * @param maxWr requests, at least 1
     * @param maxSge minimum capacity of a request in scatter/gather elements
     * @param limit the limit, 0 for none
     * @param onEvent receives SRQ_LIMIT_REACHED and SRQ_ERR on the port loop; must not block
     */
    public SharedReceiveRing(int maxWr, int maxSge, int limit, Consumer<EventType> onEvent) {
        this(maxWr, maxSge, limit, null, onEvent);
    }

    /**
     * Creates a queue with at least these sizes in memory of the given allocator.
     *
     * @param maxWr requests, at least 1
     * @param maxSge minimum capacity of a request in scatter/gather elements
     * @param limit the limit, 0 for none
     * @param memory allocates the ring at creation and at each resize; null for a ring on the Java heap
     * @param onEvent receives SRQ_LIMIT_REACHED and SRQ_ERR on the port loop; must not block
     */
    public SharedReceiveRing(
            int maxWr, int maxSge, int limit, @Nullable SegmentAllocator memory, Consumer<EventType> onEvent) {
        this.memory = memory;
        this.queue = new ReceiveQueue(maxWr, maxSge, memory);
        this.limit = new AtomicInteger(limit);
        this.onEvent = onEvent;
        this.client = new RingReceiveBatch(queue, new Owner());
    }

    /**
     * Allows posts at any time. Needs no doorbell, because the device reads the ring when a message needs a receive.
     */
    private static final class Owner implements ReceiveOwner {
        @Override
        public @Nullable String receiveRefusal() {
            return null;
        }

        @Override
        public void receiveDoorbell() {
            // no work waits for receives: a sender that gets an RNR NAK retries
        }
    }

    /** {@return the batch of the posting end, begun for the calling thread} */
    public ReceiveBatch startReceive() {
        return client.start();
    }

    /** {@return the sizes, and the limit while it is armed} Device's end. */
    public SrqAttributes attributes() {
        return new SrqAttributes(queue.ring().capacity(), queue.maxSge(), limit.get());
    }

    /**
     * Arms the limit. Any thread.
     *
     * @param newLimit requests; 0 disarms
     */
    public void arm(int newLimit) {
        limit.set(newLimit);
    }

    /** {@return bytes that {@link #take} copies} */
    public int elementBytes() {
        return queue.ring().elementBytes();
    }

    /** {@return number of waiting requests} Device's end. */
    public int available() {
        Ring ring = queue.ring();
        return ring.distance(ring.acquireProducer(), ring.ownConsumer());
    }

    /**
     * Takes the oldest request, and raises the event if fewer than the limit are left. Device's end; allocates nothing.
     *
     * @param target receives the element, in the layout of {@link ReceiveQueue}
     * @param offset in {@code target}, a multiple of 8, with space for {@link #elementBytes} bytes
     * @return false if no request waits, or the queue is broken
     */
    public boolean take(RingMemory target, long offset) {
        if (broken) {
            return false;
        }
        int left;
        try {
            Ring ring = queue.ring();
            int consumer = ring.ownConsumer();
            left = ring.distance(ring.acquireProducer(), consumer) - 1;
            if (left < 0) {
                return false;
            }
            ring.memory().copyTo(ring.offset(consumer), target, offset, ring.elementBytes());
            ring.publishConsumer(ring.next(consumer));
        } catch (IllegalStateException | InternalError gone) {
            broken = true;
            onEvent.accept(EventType.SRQ_ERR);
            return false;
        }
        int armed = limit.get();
        if (left < armed && limit.compareAndSet(armed, 0)) {
            onEvent.accept(EventType.SRQ_LIMIT_REACHED);
        }
        return true;
    }

    /** {@return true once the memory of the ring could not be read: no more requests are taken} Device's end. */
    public boolean isBroken() {
        return broken;
    }

    /**
     * Moves to a ring for at least {@code maxWr} requests. Device's end: no thread may take requests meanwhile; posting
     * threads spin.
     *
     * @param maxWr requests, at least 1
     * @throws RdmaException EINVAL if more than {@code maxWr} requests wait
     */
    public void resize(int maxWr) {
        ReceiveQueue next = new ReceiveQueue(maxWr, queue.maxSge(), memory);
        if (maxWr < available() || !client.moveTo(next)) {
            throw new RdmaException(
                    Errno.EINVAL, "max_wr " + maxWr + ": more requests than that wait, namely " + available());
        }
        queue = next;
    }
}
