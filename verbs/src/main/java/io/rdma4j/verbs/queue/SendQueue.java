package io.rdma4j.verbs.queue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * A send queue: the ring, the layout of its elements and the device's end of it. Answers to {@code rxe_send_wqe}.
 *
 * <pre>
 *  0  wr_id (64)
 *  8  opcode (32, WrOpcode code)       12  send_flags (32, SendFlag bits)
 * 16  immediate data or key (32)       20  num_sge (32)
 * 24  length in bytes (32, unsigned)   28  TSO: bytes of the header (32)
 * 32  operands, see {@link SendOperands}
 * 96  num_sge scatter/gather elements, or the data themselves if INLINE;
 *     TSO: the header, padded to a multiple of 16 bytes, then the elements
 * </pre>
 *
 * <p>The device must not trust what it reads here: it checks {@code num_sge} and lengths again.
 */
public final class SendQueue {
    // Where the words are in which the fields are read and written
    static final long WR_ID = 0;
    static final long OPCODE = 8;
    static final long IMMEDIATE = 16;
    static final long LENGTH = 24;

    private static final int HEADER_BYTES = 96;

    /**
     * Most scatter/gather elements that a request may have, however much room its slot has: a packet buffer has no more
     * fragments to point to them with.
     */
    private static final int MAX_SGE = 32;

    private final Ring ring;
    private final int maxSge;
    private final int maxInlineData;

    /**
     * Allocates a queue for at least this much; {@link #maxSge} and {@link #maxInlineData} say what it came to.
     *
     * @param maxWr requests, at least 1
     * @param maxSge scatter/gather elements that one request may have at least
     * @param maxInlineData bytes that one request may carry inline at least
     */
    public SendQueue(int maxWr, int maxSge, int maxInlineData) {
        this(maxWr, maxSge, maxInlineData, Arena.ofAuto());
    }

    /**
     * Allocates a queue for at least this much in memory of somebody else's choice.
     *
     * @param maxWr requests, at least 1
     * @param maxSge scatter/gather elements that one request may have at least
     * @param maxInlineData bytes that one request may carry inline at least
     * @param memory gives the ring its place, once
     */
    public SendQueue(int maxWr, int maxSge, int maxInlineData, SegmentAllocator memory) {
        this.ring = new Ring(Math.max(maxWr, 1), elementBytes(maxSge, maxInlineData), memory);
        this.maxInlineData = ring.elementBytes() - HEADER_BYTES;
        this.maxSge = Math.min(this.maxInlineData / SgeLayout.BYTES, MAX_SGE);
    }

    private static int elementBytes(int maxSge, int maxInlineData) {
        return HEADER_BYTES + Math.max(Math.max(maxSge, 1) * SgeLayout.BYTES, maxInlineData);
    }

    /**
     * {@return the bytes of a queue for at least this much; a multiple of 64}
     *
     * @param maxWr requests
     * @param maxSge scatter/gather elements of each
     * @param maxInlineData bytes of data in each
     */
    public static long bytes(int maxWr, int maxSge, int maxInlineData) {
        return Ring.bytes(Math.max(maxWr, 1), elementBytes(maxSge, maxInlineData));
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

    /** {@return how many bytes a request may carry inline} */
    public int maxInlineData() {
        return maxInlineData;
    }

    static void writeHeader(
            MemorySegment memory,
            long wqe,
            long wrId,
            int opcode,
            int flags,
            int immediate,
            int numSge,
            int length,
            int tsoHeaderBytes) {
        memory.set(Words.LONG, wqe + WR_ID, wrId);
        memory.set(Words.LONG, wqe + OPCODE, Words.pair(opcode, flags));
        memory.set(Words.LONG, wqe + IMMEDIATE, Words.pair(immediate, numSge));
        memory.set(Words.LONG, wqe + LENGTH, Words.pair(length, tsoHeaderBytes));
    }

    /**
     * {@return how many scatter/gather elements a TSO header of so many bytes takes the place of}
     *
     * @param headerBytes at least 0
     */
    public static int elementsOf(int headerBytes) {
        return (headerBytes + SgeLayout.BYTES - 1) / SgeLayout.BYTES;
    }

    /**
     * {@return where scatter/gather element {@code index}, or with index 0 the inline data, lies}
     *
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     * @param index from 0
     */
    public static long data(long wqe, int index) {
        return wqe + HEADER_BYTES + (long) index * SgeLayout.BYTES;
    }
}
