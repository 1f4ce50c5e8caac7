// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.bytes;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Reads and writes unaligned big-endian fields. */
public final class BigEndian {
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private BigEndian() {}

    /** 8 bits, 0..0xFF. */
    public static int get8(MemorySegment segment, long offset) {
        return segment.get(BYTE, offset) & 0xFF;
    }

    public static void put8(MemorySegment segment, long offset, int value) {
        segment.set(BYTE, offset, (byte) value);
    }

    /** 16 bits, 0..0xFFFF. */
    public static int get16(MemorySegment segment, long offset) {
        return segment.get(SHORT, offset) & 0xFFFF;
    }

    public static void put16(MemorySegment segment, long offset, int value) {
        segment.set(SHORT, offset, (short) value);
    }

    /** The 24 bits after the first byte of the word at {@code offset}, 0..0xFFFFFF. */
    public static int getLow24(MemorySegment segment, long offset) {
        return segment.get(INT, offset) & 0xFF_FFFF;
    }

    /** Sets the 24 bits after the first byte of the word at {@code offset}; the first byte is not changed. */
    public static void putLow24(MemorySegment segment, long offset, int value) {
        segment.set(INT, offset, (segment.get(INT, offset) & 0xFF00_0000) | (value & 0xFF_FFFF));
    }

    public static int get32(MemorySegment segment, long offset) {
        return segment.get(INT, offset);
    }

    public static void put32(MemorySegment segment, long offset, int value) {
        segment.set(INT, offset, value);
    }

    /** 48 bits: an Ethernet address. */
    public static long get48(MemorySegment segment, long offset) {
        return (long) get16(segment, offset) << 32 | Integer.toUnsignedLong(get32(segment, offset + 2));
    }

    public static void put48(MemorySegment segment, long offset, long value) {
        put16(segment, offset, (int) (value >>> 32));
        put32(segment, offset + 2, (int) value);
    }

    public static long get64(MemorySegment segment, long offset) {
        return segment.get(LONG, offset);
    }

    public static void put64(MemorySegment segment, long offset, long value) {
        segment.set(LONG, offset, value);
    }
}
