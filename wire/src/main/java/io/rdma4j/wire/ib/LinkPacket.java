// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The link packet of flow control (IBA 7.9.4), which announces credits of one virtual lane to the other end of a link.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-------+-----------------------+-------+-----------------------+
 *  0 |  op   |         FCTBS         |  VL   |         FCCL          |
 *    +-------+-----------------------+-------+-----------------------+
 *  4 |             LPCRC             |
 *    +-------------------------------+
 * </pre>
 *
 * FCTBS is the number of blocks of 64 bytes that the sender has sent on the lane; FCCL is the value that the FCTBS of
 * the other end may reach. Both count modulo 4096. The CRC is {@link Vcrc}.
 */
public final class LinkPacket {
    /** Bytes of the packet. */
    public static final int BYTES = 6;
    /** Operation of a port in the state Active or Armed. */
    public static final int NORMAL = 0;
    /** Operation of a port in the state Initialize. */
    public static final int INIT = 1;

    private static final int CRC = 4;
    private static final int LIMIT = 2;
    private static final int OPERATION_SHIFT = 12;
    private static final int COUNT_MASK = 0xFFF;

    private LinkPacket() {}

    /**
     * Writes a packet with its CRC.
     *
     * @param segment the memory of the packet
     * @param offset of its first byte
     * @param operation {@link #NORMAL} or {@link #INIT}
     * @param blocksSent FCTBS, 12 bits
     * @param virtualLane 4 bits
     * @param creditLimit FCCL, 12 bits
     */
    public static void write(
            MemorySegment segment, long offset, int operation, int blocksSent, int virtualLane, int creditLimit) {
        BigEndian.put16(segment, offset, operation << OPERATION_SHIFT | blocksSent & COUNT_MASK);
        BigEndian.put16(segment, offset + LIMIT, virtualLane << OPERATION_SHIFT | creditLimit & COUNT_MASK);
        Vcrc.store(segment, offset + CRC, Vcrc.compute(segment, offset, CRC));
    }

    /**
     * {@return true if the CRC is right}
     *
     * @param segment the memory of the packet
     * @param offset of its first byte
     */
    public static boolean hasGoodCrc(MemorySegment segment, long offset) {
        return Vcrc.load(segment, offset + CRC) == Vcrc.compute(segment, offset, CRC);
    }

    /**
     * {@return the operation, 4 bits}
     *
     * @param segment the memory of the packet
     * @param offset of its first byte
     */
    public static int operation(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset) >>> OPERATION_SHIFT;
    }

    /**
     * {@return FCTBS, 12 bits}
     *
     * @param segment the memory of the packet
     * @param offset of its first byte
     */
    public static int blocksSent(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset) & COUNT_MASK;
    }

    /**
     * {@return the virtual lane, 4 bits}
     *
     * @param segment the memory of the packet
     * @param offset of its first byte
     */
    public static int virtualLane(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + LIMIT) >>> OPERATION_SHIFT;
    }

    /**
     * {@return FCCL, 12 bits}
     *
     * @param segment the memory of the packet
     * @param offset of its first byte
     */
    public static int creditLimit(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + LIMIT) & COUNT_MASK;
    }

    /**
     * Passes the fields to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of its first byte
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.decimal("op", operation(segment, offset));
        sink.decimal("vl", virtualLane(segment, offset));
        sink.decimal("fctbs", blocksSent(segment, offset));
        sink.decimal("fccl", creditLimit(segment, offset));
    }
}
