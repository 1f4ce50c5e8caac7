package io.rdma4j.verbs.queue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

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

    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final long ADDRESS = 0;
    private static final long LENGTH = 8;
    private static final long LKEY = 12;

    private SgeLayout() {}

    static void write(MemorySegment memory, long sge, long address, int length, int lkey) {
        memory.set(LONG, sge + ADDRESS, address);
        memory.set(INT, sge + LENGTH, length);
        memory.set(INT, sge + LKEY, lkey);
    }

    /**
     * {@return virtual address of the piece}
     *
     * @param memory of the queue that the element lies in
     * @param sge where it lies in {@code memory}
     */
    public static long address(MemorySegment memory, long sge) {
        return memory.get(LONG, sge + ADDRESS);
    }

    /**
     * {@return bytes of the piece, unsigned}
     *
     * @param memory of the queue that the element lies in
     * @param sge where it lies in {@code memory}
     */
    public static int length(MemorySegment memory, long sge) {
        return memory.get(INT, sge + LENGTH);
    }

    /**
     * {@return key of the memory region}
     *
     * @param memory of the queue that the element lies in
     * @param sge where it lies in {@code memory}
     */
    public static int lkey(MemorySegment memory, long sge) {
        return memory.get(INT, sge + LKEY);
    }
}
