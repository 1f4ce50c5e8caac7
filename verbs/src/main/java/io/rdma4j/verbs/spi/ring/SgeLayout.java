// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

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

    static final int LOG2_BYTES = 4;

    private static final long ADDRESS = 0;
    private static final long LENGTH_AND_LKEY = 8;

    private SgeLayout() {}

    static void write(RingMemory memory, long sge, long address, int length, int lkey) {
        memory.set(sge, ADDRESS, address);
        memory.set(sge, LENGTH_AND_LKEY, RingMemory.pair(length, lkey));
    }

    /**
     * {@return address of the memory range}
     *
     * @param memory of the queue
     * @param sge offset of the scatter/gather element in {@code memory}
     */
    public static long address(RingMemory memory, long sge) {
        return memory.get(sge, ADDRESS);
    }

    /**
     * {@return length and key as one word, for {@link #length} and {@link #lkey}}
     *
     * @param memory of the queue
     * @param sge offset of the scatter/gather element in {@code memory}
     */
    public static long lengthAndKey(RingMemory memory, long sge) {
        return memory.get(sge, LENGTH_AND_LKEY);
    }

    /**
     * {@return bytes of the memory range, 0 to 2^32 - 1}
     *
     * @param lengthAndKey a result of {@link #lengthAndKey}
     */
    public static long length(long lengthAndKey) {
        return Integer.toUnsignedLong(RingMemory.first(lengthAndKey));
    }

    /**
     * {@return L_Key of the memory region}
     *
     * @param lengthAndKey a result of {@link #lengthAndKey}
     */
    public static int lkey(long lengthAndKey) {
        return RingMemory.second(lengthAndKey);
    }
}
