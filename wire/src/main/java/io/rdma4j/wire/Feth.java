// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The flush extended transport header (IBA annex A19), {@code struct rxe_feth}, before the {@link Reth} of a FLUSH.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------------------------------------------+---+-------+
 *  0 |                     reserved                      |sel|placemt|
 *    +---------------------------------------------------+---+-------+
 * </pre>
 */
public final class Feth {
    /** Bytes of the header. */
    public static final int BYTES = 4;
    /** Selectivity: the range in the RETH, {@code IB_FLUSH_RANGE}. */
    public static final int SELECTIVITY_RANGE = 0;
    /** Selectivity: the whole memory region, {@code IB_FLUSH_MR}. */
    public static final int SELECTIVITY_MR = 1;
    /** Placement bit: visible to the whole system of the responder, {@code IB_FLUSH_GLOBAL}. */
    public static final int PLACEMENT_GLOBAL = 1;
    /** Placement bit: survives power loss, {@code IB_FLUSH_PERSISTENT}. */
    public static final int PLACEMENT_PERSISTENT = 2;

    private static final int SELECTIVITY_SHIFT = 4;
    private static final int SELECTIVITY_MASK = 3;
    private static final int PLACEMENT_MASK = 0xF;

    private Feth() {}

    /**
     * Writes the header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param placement bits {@link #PLACEMENT_GLOBAL} and {@link #PLACEMENT_PERSISTENT}, 4 bits
     * @param selectivity {@link #SELECTIVITY_RANGE} or {@link #SELECTIVITY_MR}, 2 bits
     */
    public static void write(MemorySegment segment, long offset, int placement, int selectivity) {
        BigEndian.put32(
                segment, offset, (selectivity & SELECTIVITY_MASK) << SELECTIVITY_SHIFT | (placement & PLACEMENT_MASK));
    }

    /**
     * {@return bits {@link #PLACEMENT_GLOBAL} and {@link #PLACEMENT_PERSISTENT}, 4 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int placement(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset) & PLACEMENT_MASK;
    }

    /**
     * {@return {@link #SELECTIVITY_RANGE}, {@link #SELECTIVITY_MR} or a reserved value, 2 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int selectivity(MemorySegment segment, long offset) {
        return (BigEndian.get32(segment, offset) >>> SELECTIVITY_SHIFT) & SELECTIVITY_MASK;
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("placement", placement(segment, offset), 1);
        sink.hex("selectivity", selectivity(segment, offset), 1);
    }
}
