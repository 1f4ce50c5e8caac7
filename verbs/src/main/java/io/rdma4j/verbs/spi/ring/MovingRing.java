// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.SegmentAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The ring of a work queue, and after a resize the ring to which the queue moves.
 *
 * <p>The posting end uses the new ring from the resize on. The device first completes the requests in the old ring,
 * because it processes them in place. Then it continues in the new ring. So no request changes its slot while the
 * device processes it.
 *
 * <p>Only the owner of the loop calls the methods, except {@link #newest}.
 */
final class MovingRing {
    private Ring ring;
    private @Nullable Ring next;

    MovingRing(Ring ring) {
        this.ring = ring;
    }

    /** The ring from which the device takes requests. */
    Ring ring() {
        return ring;
    }

    /** The ring to which requests are posted. No thread may post meanwhile. */
    Ring newest() {
        Ring later = next;
        return later == null ? ring : later;
    }

    /** Number of requests that are posted and not completed. */
    int waiting() {
        Ring later = next;
        return waiting(ring) + (later == null ? 0 : waiting(later));
    }

    private static int waiting(Ring ring) {
        return ring.distance(ring.acquireProducer(), ring.ownConsumer());
    }

    /**
     * Checks a resize.
     *
     * @throws RdmaException EINVAL if more than {@code maxWr} requests wait, or for an impossible number
     */
    void checkResize(String attribute, int maxWr) {
        Ring.bytes(Math.max(maxWr, 1), ring.elementBytes());
        int waiting = waiting();
        if (waiting > maxWr) {
            throw new RdmaException(
                    Errno.EINVAL, attribute + " " + maxWr + ": more requests than that wait, namely " + waiting);
        }
    }

    /** {@return true if a ring for {@code maxWr} requests has another size than the newest one} */
    boolean changes(int maxWr) {
        return Ring.bytes(Math.max(maxWr, 1), ring.elementBytes())
                != Ring.bytes(newest().capacity(), ring.elementBytes());
    }

    /**
     * Creates a ring for at least {@code maxWr} requests, on the heap if there is no allocator. No thread may post
     * meanwhile. The caller has called {@link #checkResize}.
     */
    void resize(int maxWr, @Nullable SegmentAllocator memory) {
        Ring target = Ring.create(Math.max(maxWr, 1), ring.elementBytes(), memory);
        if (next != null && !next.copyTo(target)) {
            throw new IllegalStateException("a ring of " + target.capacity() + " for " + waiting(next) + " requests");
        }
        next = target;
    }

    /** Continues in the new ring if there is one and the old one is empty. */
    boolean moveOn() {
        if (next == null || !ring.isEmpty()) {
            return false;
        }
        ring = next;
        next = null;
        return true;
    }

    /** Discards all requests. */
    void clear() {
        ring.clear();
        if (moveOn()) {
            ring.clear();
        }
    }
}
