package io.rdma4j.verbs.queue;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SrqAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A shared receive queue: a {@link ReceiveQueue}, the watermark, and the ends of both sides. Answers to {@code rxe_srq} and
 * {@code get_srq_wqe}.
 *
 * <p>The device's end belongs to the port loop that serves all queue pairs of the shared queue, so the ring still has a
 * single consumer. A queue pair copies the element that it takes, since the slot is free again at once: messages of other
 * queue pairs may end before its own.
 */
public final class SharedReceiveRing {
    private final SegmentAllocator memory;
    private final Consumer<EventType> onEvent;
    private final RingReceiveBatch client;
    private ReceiveQueue queue;
    private boolean broken;

    /** The watermark; 0 if it is not armed. Programs arm it, the device disarms it. */
    private final AtomicInteger limit;

    /**
     * Allocates a queue for at least this much in memory of its own.
     *
     * @param maxWr requests, at least 1
     * @param maxSge scatter/gather elements that one request may have at least
     * @param limit the watermark, 0 for none
     * @param onEvent told SRQ_LIMIT_REACHED and SRQ_ERR by the port loop; must not block
     */
    public SharedReceiveRing(int maxWr, int maxSge, int limit, Consumer<EventType> onEvent) {
        this(maxWr, maxSge, limit, Arena.ofAuto(), onEvent);
    }

    /**
     * Allocates a queue for at least this much in memory of somebody else's choice.
     *
     * @param maxWr requests, at least 1
     * @param maxSge scatter/gather elements that one request may have at least
     * @param limit the watermark, 0 for none
     * @param memory gives the ring its place, and another one for each resize
     * @param onEvent told SRQ_LIMIT_REACHED and SRQ_ERR by the port loop; must not block
     */
    public SharedReceiveRing(int maxWr, int maxSge, int limit, SegmentAllocator memory, Consumer<EventType> onEvent) {
        this.memory = memory;
        this.queue = new ReceiveQueue(maxWr, maxSge, memory);
        this.limit = new AtomicInteger(limit);
        this.onEvent = onEvent;
        this.client = new RingReceiveBatch(queue, new Owner());
    }

    /** Receives may be posted at any time, and are found when a message needs one. */
    private static final class Owner implements ReceiveOwner {
        @Override
        public @Nullable String receiveRefusal() {
            return null;
        }

        @Override
        public void receiveDoorbell() {
            // nothing waits for receives: a sender that found none tries again
        }
    }

    /** {@return the client's end: begins a batch} */
    public ReceiveBatch startReceive() {
        return client.start();
    }

    /** {@return the sizes, and the watermark as long as it is armed} Device's end. */
    public SrqAttributes attributes() {
        return new SrqAttributes(queue.ring().capacity(), queue.maxSge(), limit.get());
    }

    /**
     * Arms the watermark; 0 disarms it. Any thread.
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

    /** {@return how many requests wait} Device's end. */
    public int available() {
        Ring ring = queue.ring();
        return ring.distance(ring.acquireProducer(), ring.ownConsumer());
    }

    /**
     * Takes the oldest request, and raises the event if too few are left. Device's end; allocates nothing.
     *
     * @param target gets the element, in the layout of {@link ReceiveQueue}
     * @param offset where in {@code target}; {@link #elementBytes} fit
     * @return false if none waits, or the queue is broken
     */
    public boolean take(MemorySegment target, long offset) {
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
            MemorySegment.copy(ring.memory(), ring.offset(consumer), target, offset, ring.elementBytes());
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

    /** {@return true once the memory of the ring could not be read: no request is taken any more} Device's end. */
    public boolean isBroken() {
        return broken;
    }

    /**
     * Moves to a ring for at least {@code maxWr} requests. Device's end: nobody may take meanwhile; posters wait.
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
