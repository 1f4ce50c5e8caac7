// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The variant CRC at the end of every packet of a link, and the CRC of link packets (IBA 7.8.2): 16 bits, polynomial
 * 0x100B, lowest bit of each byte first, from ones on, complemented. It covers all bytes before it, so each hop
 * computes it again. Stored little-endian.
 */
public final class Vcrc {
    /** Bytes of the CRC. */
    public static final int BYTES = 2;

    /** The polynomial with its bits in reverse order. */
    private static final int REVERSED_POLYNOMIAL = 0xD008;

    private static final int ONES = 0xFFFF;
    private static final int[] TABLE = table();

    private static final ValueLayout.OfShort LITTLE_ENDIAN =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Vcrc() {}

    private static int[] table() {
        int[] table = new int[1 << Byte.SIZE];
        for (int i = 0; i < table.length; i++) {
            int crc = i;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc = crc >>> 1 ^ ((crc & 1) == 0 ? 0 : REVERSED_POLYNOMIAL);
            }
            table[i] = crc;
        }
        return table;
    }

    /**
     * {@return the CRC of some bytes, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the first byte
     * @param length number of bytes
     */
    public static int compute(MemorySegment segment, long offset, int length) {
        int crc = ONES;
        for (int i = 0; i < length; i++) {
            crc = crc >>> Byte.SIZE ^ TABLE[(crc ^ segment.get(ValueLayout.JAVA_BYTE, offset + i)) & 0xFF];
        }
        return crc ^ ONES;
    }

    /**
     * Stores a CRC behind the bytes that it covers.
     *
     * @param segment the memory of the packet
     * @param offset of the CRC's first byte
     * @param vcrc 16 bits, as computed here
     */
    public static void store(MemorySegment segment, long offset, int vcrc) {
        segment.set(LITTLE_ENDIAN, offset, (short) vcrc);
    }

    /**
     * {@return the CRC in a packet, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the CRC's first byte
     */
    public static int load(MemorySegment segment, long offset) {
        return segment.get(LITTLE_ENDIAN, offset) & ONES;
    }
}
