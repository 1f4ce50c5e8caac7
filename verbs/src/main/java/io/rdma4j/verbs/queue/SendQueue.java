package io.rdma4j.verbs.queue;

import io.rdma4j.verbs.SendFlag;
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
    private static final long WR_ID = 0;
    private static final long OPCODE = 8;
    private static final long FLAGS = 12;
    private static final long IMMEDIATE = 16;
    private static final long NUM_SGE = 20;
    private static final long LENGTH = 24;
    private static final long TSO_HEADER = 28;
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

    static void writeHeader(MemorySegment memory, long wqe, long wrId, int opcode, int flags, int immediate) {
        memory.set(SgeLayout.LONG, wqe + WR_ID, wrId);
        memory.set(SgeLayout.INT, wqe + OPCODE, opcode);
        memory.set(SgeLayout.INT, wqe + FLAGS, flags);
        memory.set(SgeLayout.INT, wqe + IMMEDIATE, immediate);
    }

    static void writeData(MemorySegment memory, long wqe, int flags, int numSge, int length) {
        memory.set(SgeLayout.INT, wqe + FLAGS, flags);
        memory.set(SgeLayout.INT, wqe + NUM_SGE, numSge);
        memory.set(SgeLayout.INT, wqe + LENGTH, length);
    }

    static void writeTsoHeader(MemorySegment memory, long wqe, MemorySegment header) {
        memory.set(SgeLayout.INT, wqe + TSO_HEADER, (int) header.byteSize());
        MemorySegment.copy(header, 0, memory, data(wqe, 0), header.byteSize());
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
     * {@return the application's number}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static long wrId(MemorySegment memory, long wqe) {
        return memory.get(SgeLayout.LONG, wqe + WR_ID);
    }

    /**
     * {@return code of the {@link io.rdma4j.verbs.WrOpcode}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static int opcode(MemorySegment memory, long wqe) {
        return memory.get(SgeLayout.INT, wqe + OPCODE);
    }

    /**
     * {@return bits of {@link SendFlag}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static int flags(MemorySegment memory, long wqe) {
        return memory.get(SgeLayout.INT, wqe + FLAGS);
    }

    /**
     * {@return true if the request has a flag}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     * @param flag one of the constants
     */
    public static boolean hasFlag(MemorySegment memory, long wqe, SendFlag flag) {
        return (flags(memory, wqe) & flag.bit()) != 0;
    }

    /**
     * {@return immediate data, or with SEND_WITH_INV, RDMA_READ_WITH_INV and LOCAL_INV the key to invalidate}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static int immediate(MemorySegment memory, long wqe) {
        return memory.get(SgeLayout.INT, wqe + IMMEDIATE);
    }

    /**
     * {@return how many scatter/gather elements follow}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static int numSge(MemorySegment memory, long wqe) {
        return memory.get(SgeLayout.INT, wqe + NUM_SGE);
    }

    /**
     * {@return bytes of the message without a TSO header, or bytes to read or flush; unsigned}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static int length(MemorySegment memory, long wqe) {
        return memory.get(SgeLayout.INT, wqe + LENGTH);
    }

    /**
     * {@return the same as a number, 0 to 2^32 - 1}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static long messageBytes(MemorySegment memory, long wqe) {
        return Integer.toUnsignedLong(length(memory, wqe));
    }

    /**
     * {@return for TSO: bytes of the header that each segment begins with; it lies at {@link #data} 0}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     */
    public static int tsoHeaderBytes(MemorySegment memory, long wqe) {
        return memory.get(SgeLayout.INT, wqe + TSO_HEADER);
    }

    /**
     * {@return for TSO: where scatter/gather element {@code index} behind the header lies}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe where the element lies in {@code memory}, as {@link Ring#offset} says
     * @param index from 0
     */
    public static long tsoData(MemorySegment memory, long wqe, int index) {
        return data(wqe, elementsOf(tsoHeaderBytes(memory, wqe)) + index);
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
