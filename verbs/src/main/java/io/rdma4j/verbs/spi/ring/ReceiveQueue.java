// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A receive queue: the ring, the layout of its elements and the device's end of it. Corresponds to
 * {@code rxe_recv_wqe}.
 *
 * <pre>
 *  0  wr_id (64)
 *  8  num_sge (32)      12  length of all elements in bytes (32, unsigned)
 * 16  num_sge scatter/gather elements
 * </pre>
 */
public final class ReceiveQueue extends WorkRequestQueue {
    private static final long WR_ID = 0;
    private static final long SIZES = 8;
    private static final int HEADER_BYTES = 16;

    private final int maxSge;

    /**
     * Creates a queue on the Java heap with at least these sizes; {@link #maxSge} returns the actual one.
     *
     * @param maxWr requests, at least 1
     * @param maxSge minimum capacity of a request in scatter/gather elements
     */
    public ReceiveQueue(int maxWr, int maxSge) {
        this(maxWr, maxSge, null);
    }

    /**
     * Creates a queue with at least these sizes in memory of the given allocator.
     *
     * @param maxWr requests, at least 1
     * @param maxSge minimum capacity of a request in scatter/gather elements
     * @param memory allocates the ring, called once; null for a ring on the Java heap
     */
    public ReceiveQueue(int maxWr, int maxSge, @Nullable SegmentAllocator memory) {
        this(Ring.create(Math.max(maxWr, 1), elementBytes(maxSge), memory));
    }

    private ReceiveQueue(Ring ring) {
        super(ring);
        this.maxSge = (ring.elementBytes() - HEADER_BYTES) / SgeLayout.BYTES;
    }

    /**
     * {@return the posting end of a queue that another process has created in shared memory} The requests in it stay.
     *
     * @param maxWr as at its creation
     * @param maxSge as at its creation
     * @param memory of length {@link #bytes}
     */
    public static ReceiveQueue attach(int maxWr, int maxSge, MemorySegment memory) {
        return new ReceiveQueue(Ring.attach(Math.max(maxWr, 1), elementBytes(maxSge), memory));
    }

    private static int elementBytes(int maxSge) {
        return HEADER_BYTES + Math.max(maxSge, 1) * SgeLayout.BYTES;
    }

    /**
     * {@return the bytes of a queue with at least these sizes; a multiple of 64}
     *
     * @param maxWr requests
     * @param maxSge scatter/gather elements of each
     */
    public static long bytes(int maxWr, int maxSge) {
        return Ring.bytes(Math.max(maxWr, 1), elementBytes(maxSge));
    }

    @Override
    String sizeName() {
        return "max_recv_wr";
    }

    /** {@return maximum number of scatter/gather elements of a request} */
    public int maxSge() {
        return maxSge;
    }

    static void write(RingMemory memory, long wqe, long wrId, int numSge, int length) {
        memory.set(wqe, WR_ID, wrId);
        memory.set(wqe, SIZES, RingMemory.pair(numSge, length));
    }

    /**
     * {@return the {@code wr_id} of a request}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long wrId(RingMemory memory, long wqe) {
        return memory.get(wqe, WR_ID);
    }

    /**
     * {@return number and length of the scatter/gather elements as one word, for {@link #numSge} and {@link #length}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long sizes(RingMemory memory, long wqe) {
        return memory.get(wqe, SIZES);
    }

    /**
     * {@return number of scatter/gather elements}
     *
     * @param sizes a result of {@link #sizes}
     */
    public static int numSge(long sizes) {
        return RingMemory.first(sizes);
    }

    /**
     * {@return total bytes of all scatter/gather elements, 0 to 2^32 - 1}
     *
     * @param sizes a result of {@link #sizes}
     */
    public static long length(long sizes) {
        return Integer.toUnsignedLong(RingMemory.second(sizes));
    }

    /**
     * {@return the offset of scatter/gather element {@code index}}
     *
     * @param wqe offset of the element in the ring's memory, see {@link Ring#offset}
     * @param index from 0
     */
    public static long sge(long wqe, int index) {
        return wqe + HEADER_BYTES + (long) index * SgeLayout.BYTES;
    }
}
