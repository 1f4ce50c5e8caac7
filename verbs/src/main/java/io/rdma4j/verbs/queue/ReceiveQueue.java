package io.rdma4j.verbs.queue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * A receive queue: the ring, the layout of its elements and the device's end of it. Answers to {@code rxe_recv_wqe}.
 *
 * <pre>
 *  0  wr_id (64)
 *  8  num_sge (32)      12  length of all pieces in bytes (32, unsigned)
 * 16  num_sge scatter/gather elements
 * </pre>
 */
public final class ReceiveQueue {
    private static final long WR_ID = 0;
    private static final long SIZES = 8;
    private static final int HEADER_BYTES = 16;

    private final Ring ring;
    private final int maxSge;

    /**
     * Allocates a queue for at least this much; {@link #maxSge} says what it came to.
     *
     * @param maxWr requests, at least 1
     * @param maxSge scatter/gather elements that one request may have at least
     */
    public ReceiveQueue(int maxWr, int maxSge) {
        this(maxWr, maxSge, Arena.ofAuto());
    }

    /**
     * Allocates a queue for at least this much in memory of somebody else's choice.
     *
     * @param maxWr requests, at least 1
     * @param maxSge scatter/gather elements that one request may have at least
     * @param memory gives the ring its place, once
     */
    public ReceiveQueue(int maxWr, int maxSge, SegmentAllocator memory) {
        this.ring = new Ring(Math.max(maxWr, 1), elementBytes(maxSge), memory);
        this.maxSge = (ring.elementBytes() - HEADER_BYTES) / SgeLayout.BYTES;
    }

    private ReceiveQueue(Ring ring) {
        this.ring = ring;
        this.maxSge = (ring.elementBytes() - HEADER_BYTES) / SgeLayout.BYTES;
    }

    /**
     * {@return the posting end of a queue that another process has made in memory of both} The requests in it stay.
     *
     * @param maxWr as it was made with
     * @param maxSge as it was made with
     * @param memory as long as {@link #bytes} says
     */
    public static ReceiveQueue attach(int maxWr, int maxSge, MemorySegment memory) {
        return new ReceiveQueue(Ring.attach(Math.max(maxWr, 1), elementBytes(maxSge), memory));
    }

    private static int elementBytes(int maxSge) {
        return HEADER_BYTES + Math.max(maxSge, 1) * SgeLayout.BYTES;
    }

    /**
     * {@return the bytes of a queue for at least this much; a multiple of 64}
     *
     * @param maxWr requests
     * @param maxSge scatter/gather elements of each
     */
    public static long bytes(int maxWr, int maxSge) {
        return Ring.bytes(Math.max(maxWr, 1), elementBytes(maxSge));
    }

    /** {@return the ring below} */
    public Ring ring() {
        return ring;
    }

    /** {@return the memory that element offsets refer to} */
    public MemorySegment memory() {
        return ring.memory();
    }

    /** {@return how many scatter/gather elements a request may have} */
    public int maxSge() {
        return maxSge;
    }

    static void write(MemorySegment memory, long wqe, long wrId, int numSge, int length) {
        memory.set(Words.LONG, wqe + WR_ID, wrId);
        memory.set(Words.LONG, wqe + SIZES, Words.pair(numSge, length));
    }

    /**
     * {@return the application's number}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static long wrId(MemorySegment memory, long wqe) {
        return memory.get(Words.LONG, wqe + WR_ID);
    }

    /**
     * {@return number and length of the pieces as one word, for {@link #numSge} and {@link #length}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static long sizes(MemorySegment memory, long wqe) {
        return memory.get(Words.LONG, wqe + SIZES);
    }

    /**
     * {@return how many scatter/gather elements follow}
     *
     * @param sizes as {@link #sizes} gives them
     */
    public static int numSge(long sizes) {
        return Words.first(sizes);
    }

    /**
     * {@return bytes of all pieces together, 0 to 2^32 - 1}
     *
     * @param sizes as {@link #sizes} gives them
     */
    public static long length(long sizes) {
        return Integer.toUnsignedLong(Words.second(sizes));
    }

    /**
     * {@return where scatter/gather element {@code index} lies}
     *
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     * @param index from 0
     */
    public static long sge(long wqe, int index) {
        return wqe + HEADER_BYTES + (long) index * SgeLayout.BYTES;
    }
}
