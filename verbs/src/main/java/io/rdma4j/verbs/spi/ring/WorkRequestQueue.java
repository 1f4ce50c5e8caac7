// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.SegmentAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The device's end of a send or receive queue: its ring, and after a resize the ring to which the queue moves.
 *
 * <p>The posting end uses the new ring from the resize on. The device first completes the requests in the old ring,
 * because it processes them in place. Then it continues in the new ring. So no request changes its slot while the
 * device processes it.
 *
 * <p>Only the owner of the loop calls the methods, except {@link #postingRing}.
 */
public abstract sealed class WorkRequestQueue permits SendQueue, ReceiveQueue {
    private Ring ring;
    private @Nullable Ring next;

    WorkRequestQueue(Ring ring) {
        this.ring = ring;
    }

    /** Returns the name of the attribute with the number of requests. */
    abstract String sizeName();

    /** {@return the ring from which the device takes requests} */
    public final Ring ring() {
        return ring;
    }

    /** {@return the memory of the element offsets} */
    public final RingMemory memory() {
        return ring.memory();
    }

    /**
     * {@return the ring to which requests are posted; differs from {@link #ring} while the queue moves} No thread may
     * post meanwhile.
     */
    public final Ring postingRing() {
        Ring later = next;
        return later == null ? ring : later;
    }

    /** {@return number of requests that are posted and not completed} */
    public final int waiting() {
        Ring later = next;
        return waiting(ring) + (later == null ? 0 : waiting(later));
    }

    private static int waiting(Ring ring) {
        return ring.distance(ring.acquireProducer(), ring.ownConsumer());
    }

    /**
     * Checks a resize.
     *
     * @param maxWr requests
     * @throws RdmaException EINVAL if more requests than that wait, or for an impossible number
     */
    public final void checkResize(int maxWr) {
        Ring.bytes(Math.max(maxWr, 1), ring.elementBytes());
        int waiting = waiting();
        if (waiting > maxWr) {
            throw new RdmaException(
                    Errno.EINVAL, sizeName() + " " + maxWr + ": more requests than that wait, namely " + waiting);
        }
    }

    /**
     * Creates another ring for new requests, if the newest one has another size. No thread may post meanwhile. The
     * caller has called {@link #checkResize}.
     *
     * @param maxWr requests
     * @param memory allocates the new ring; null for a ring on the Java heap
     */
    public final void resize(int maxWr, @Nullable SegmentAllocator memory) {
        int entries = Math.max(maxWr, 1);
        int elementBytes = ring.elementBytes();
        if (Ring.bytes(entries, elementBytes) == Ring.bytes(postingRing().capacity(), elementBytes)) {
            return;
        }
        Ring target = Ring.create(entries, elementBytes, memory);
        if (next != null && !next.copyTo(target)) {
            throw new IllegalStateException("a ring of " + target.capacity() + " for " + waiting(next) + " requests");
        }
        next = target;
    }

    /**
     * Continues in the new ring if there is one and the old one is empty.
     *
     * @return true if it does: {@link #ring} is another one now
     */
    public final boolean moveOn() {
        if (next == null || !ring.isEmpty()) {
            return false;
        }
        ring = next;
        next = null;
        return true;
    }

    /** Discards all requests. */
    public final void clear() {
        ring.clear();
        if (moveOn()) {
            ring.clear();
        }
    }
}
