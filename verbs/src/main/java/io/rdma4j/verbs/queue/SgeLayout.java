package io.rdma4j.verbs.queue;

import java.lang.foreign.MemorySegment;

/**
 * Layout of a scatter/gather element inside a work queue element: {@code struct ibv_sge}.
 *
 * <pre>
 *  0  address (64 bits)   8  length (32 bits, unsigned)   12  lkey (32 bits)
 * </pre>
 */
public final class SgeLayout {
    /** Bytes of a scatter/gather element. */
    public static final int BYTES = 16;

    private static final long ADDRESS = 0;
    private static final long LENGTH_AND_LKEY = 8;

    private SgeLayout() {}

    static void write(MemorySegment memory, long sge, long address, int length, int lkey) {
        memory.set(Words.LONG, sge + ADDRESS, address);
        memory.set(Words.LONG, sge + LENGTH_AND_LKEY, Words.pair(length, lkey));
    }

    /**
     * {@return virtual address of the piece}
     *
     * @param memory of the queue that the element lies in
     * @param sge where it lies in {@code memory}
     */
    public static long address(MemorySegment memory, long sge) {
        return memory.get(Words.LONG, sge + ADDRESS);
    }

    /**
     * {@return length and key of the piece as one word, for {@link #length} and {@link #lkey}}
     *
     * @param memory of the queue that the element lies in
     * @param sge where it lies in {@code memory}
     */
    public static long lengthAndKey(MemorySegment memory, long sge) {
        return memory.get(Words.LONG, sge + LENGTH_AND_LKEY);
    }

    /**
     * {@return bytes of the piece, 0 to 2^32 - 1}
     *
     * @param lengthAndKey as {@link #lengthAndKey} gives it
     */
    public static long length(long lengthAndKey) {
        return Integer.toUnsignedLong(Words.first(lengthAndKey));
    }

    /**
     * {@return key of the memory region}
     *
     * @param lengthAndKey as {@link #lengthAndKey} gives it
     */
    public static int lkey(long lengthAndKey) {
        return Words.second(lengthAndKey);
    }
}
