// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.transport.memory.SgeCursor;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SgeLayout;

/**
 * An element that was taken from a receive queue ({@code rxe_recv_wqe}): its fields, and the location of its segments.
 * The fields are read once, because the application can still write into its ring.
 */
public class ReceiveWqe {
    private RingMemory memory = RingMemory.EMPTY;
    private int maxSge;
    private long wrId;
    private int numSge;
    private long length;
    private long pieces;

    /** Memory into which requests of shared queues are copied. */
    private RingMemory room = RingMemory.EMPTY;

    /** Points at an element in place. */
    final void point(RingMemory at, long element, int sgeLimit) {
        long sizes = ReceiveQueue.sizes(at, element);
        memory = at;
        maxSge = sgeLimit;
        wrId = ReceiveQueue.wrId(at, element);
        numSge = ReceiveQueue.numSge(sizes);
        length = ReceiveQueue.length(sizes);
        pieces = ReceiveQueue.sge(element, 0);
    }

    /** Memory into which an element of {@code bytes} is copied; reallocated only when a larger element occurs. */
    final RingMemory room(int bytes) {
        if (room.byteSize() < bytes) {
            room = RingMemory.allocate(bytes);
        }
        return room;
    }

    /** Points at the element that was copied to {@link #room}. */
    final void pointAtRoom(int bytes) {
        point(room, 0, (int) ((bytes - ReceiveQueue.sge(0, 0)) / SgeLayout.BYTES));
    }

    /** False for a request that the verbs core would have rejected when it was posted. */
    public final boolean isSound() {
        return numSge >= 0 && numSge <= maxSge;
    }

    /** Moves a cursor to the first byte of the segments. */
    protected final void open(SgeCursor cursor) {
        cursor.begin(memory, pieces, numSge);
    }

    /** The memory with the segments. */
    protected final RingMemory memory() {
        return memory;
    }

    /** Offset of the first segment in {@link #memory}. */
    protected final long segments() {
        return pieces;
    }

    /** Number of segments. */
    protected final int numSge() {
        return numSge;
    }

    public final long wrId() {
        return wrId;
    }

    /** Bytes of all segments. */
    public final long length() {
        return length;
    }
}
