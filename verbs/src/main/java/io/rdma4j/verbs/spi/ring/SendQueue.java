// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A send queue: the ring, the layout of its elements and the device's end of it. Corresponds to {@code rxe_send_wqe}.
 *
 * <pre>
 *  0  wr_id (64)
 *  8  opcode (32, WrOpcode code)       12  send_flags (32, SendFlag bits)
 * 16  immediate data or key (32)       20  num_sge (32)
 * 24  length in bytes (32, unsigned)   28  TSO: bytes of the header (32)
 * 32  operands, see {@link SendOperands}
 * 96  num_sge scatter/gather elements, or the data themselves if INLINE;
 *     TSO: the header, padded to a multiple of 16 bytes, then the elements;
 *     inline data and header lie in {@link RingMemory#bytes}
 * </pre>
 *
 * <p>The device must not trust the values: it checks {@code num_sge} and lengths again.
 */
public final class SendQueue extends WorkRequestQueue {
    // Offsets of the words in which the fields are read and written
    static final long WR_ID = 0;
    static final long OPCODE = 8;
    static final long IMMEDIATE = 16;
    static final long LENGTH = 24;

    private static final int HEADER_BYTES = 96;

    /**
     * Maximum number of scatter/gather elements of a request, even if its slot has more space: a packet buffer has no
     * more fragments.
     */
    private static final int MAX_SGE = 32;

    private final int maxSge;
    private final int maxInlineData;

    /**
     * Creates a queue on the Java heap with at least these sizes; {@link #maxSge} and {@link #maxInlineData} return the
     * actual ones.
     *
     * @param maxWr requests, at least 1
     * @param maxSge minimum capacity of a request in scatter/gather elements
     * @param maxInlineData minimum capacity of a request in inline bytes
     */
    public SendQueue(int maxWr, int maxSge, int maxInlineData) {
        this(maxWr, maxSge, maxInlineData, null);
    }

    /**
     * Creates a queue with at least these sizes in memory of the given allocator.
     *
     * @param maxWr requests, at least 1
     * @param maxSge minimum capacity of a request in scatter/gather elements
     * @param maxInlineData minimum capacity of a request in inline bytes
     * @param memory allocates the ring, called once; null for a ring on the Java heap
     */
    public SendQueue(int maxWr, int maxSge, int maxInlineData, @Nullable SegmentAllocator memory) {
        this(Ring.create(Math.max(maxWr, 1), elementBytes(maxSge, maxInlineData), memory));
    }

    private SendQueue(Ring ring) {
        super(ring);
        this.maxInlineData = ring.elementBytes() - HEADER_BYTES;
        this.maxSge = Math.min(this.maxInlineData / SgeLayout.BYTES, MAX_SGE);
    }

    /**
     * {@return the posting end of a queue that another process has created in shared memory} The requests in it stay.
     *
     * @param maxWr as at its creation
     * @param maxSge as at its creation
     * @param maxInlineData as at its creation
     * @param memory of length {@link #bytes}
     */
    public static SendQueue attach(int maxWr, int maxSge, int maxInlineData, MemorySegment memory) {
        return new SendQueue(Ring.attach(Math.max(maxWr, 1), elementBytes(maxSge, maxInlineData), memory));
    }

    private static int elementBytes(int maxSge, int maxInlineData) {
        return HEADER_BYTES + Math.max(Math.max(maxSge, 1) * SgeLayout.BYTES, maxInlineData);
    }

    /**
     * {@return the bytes of a queue with at least these sizes; a multiple of 64}
     *
     * @param maxWr requests
     * @param maxSge scatter/gather elements of each
     * @param maxInlineData inline bytes of each
     */
    public static long bytes(int maxWr, int maxSge, int maxInlineData) {
        return Ring.bytes(Math.max(maxWr, 1), elementBytes(maxSge, maxInlineData));
    }

    @Override
    String sizeName() {
        return "max_send_wr";
    }

    /** {@return maximum number of scatter/gather elements of a request} */
    public int maxSge() {
        return maxSge;
    }

    /** {@return maximum number of inline bytes of a request} */
    public int maxInlineData() {
        return maxInlineData;
    }

    static void writeOperation(RingMemory memory, long wqe, long wrId, int opcode, int flags) {
        memory.set(wqe, WR_ID, wrId);
        memory.set(wqe, OPCODE, RingMemory.pair(opcode, flags));
    }

    static void addFlags(RingMemory memory, long wqe, int flags) {
        long word = memory.get(wqe, OPCODE);
        memory.set(wqe, OPCODE, RingMemory.pair(RingMemory.first(word), RingMemory.second(word) | flags));
    }

    static void writeSizes(RingMemory memory, long wqe, int immediate, int numSge, int length, int tsoHeaderBytes) {
        memory.set(wqe, IMMEDIATE, RingMemory.pair(immediate, numSge));
        memory.set(wqe, LENGTH, RingMemory.pair(length, tsoHeaderBytes));
    }

    /** Returns the number of scatter/gather elements for which there is room in front of an offset. */
    static int elementsBefore(long wqe, long sge) {
        return (int) (sge - data(wqe, 0)) >> SgeLayout.LOG2_BYTES;
    }

    /**
     * {@return number of scatter/gather elements whose space a TSO header uses}
     *
     * @param headerBytes at least 0
     */
    public static int elementsOf(int headerBytes) {
        return (headerBytes + SgeLayout.BYTES - 1) / SgeLayout.BYTES;
    }

    /**
     * {@return the offset of scatter/gather element {@code index}; with index 0 also that of the inline data}
     *
     * @param wqe offset of the element in the ring's memory, see {@link Ring#offset}
     * @param index from 0
     */
    public static long data(long wqe, int index) {
        return wqe + HEADER_BYTES + (long) index * SgeLayout.BYTES;
    }
}
