package io.rdma4j.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Reads and writes unaligned big-endian fields. */
final class BigEndian {
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private BigEndian() {}

    /** 8 bits, 0..0xFF. */
    static int get8(MemorySegment segment, long offset) {
        return segment.get(BYTE, offset) & 0xFF;
    }

    static void put8(MemorySegment segment, long offset, int value) {
        segment.set(BYTE, offset, (byte) value);
    }

    /** 16 bits, 0..0xFFFF. */
    static int get16(MemorySegment segment, long offset) {
        return segment.get(SHORT, offset) & 0xFFFF;
    }

    static void put16(MemorySegment segment, long offset, int value) {
        segment.set(SHORT, offset, (short) value);
    }

    /** The 24 bits after the first byte of the word at {@code offset}, 0..0xFFFFFF. */
    static int getLow24(MemorySegment segment, long offset) {
        return segment.get(INT, offset) & 0xFF_FFFF;
    }

    /** Sets the 24 bits after the first byte of the word at {@code offset}; the first byte is not changed. */
    static void putLow24(MemorySegment segment, long offset, int value) {
        segment.set(INT, offset, (segment.get(INT, offset) & 0xFF00_0000) | (value & 0xFF_FFFF));
    }

    static int get32(MemorySegment segment, long offset) {
        return segment.get(INT, offset);
    }

    static void put32(MemorySegment segment, long offset, int value) {
        segment.set(INT, offset, value);
    }

    /** 48 bits: an Ethernet address. */
    static long get48(MemorySegment segment, long offset) {
        return (long) get16(segment, offset) << 32 | Integer.toUnsignedLong(get32(segment, offset + 2));
    }

    static void put48(MemorySegment segment, long offset, long value) {
        put16(segment, offset, (int) (value >>> 32));
        put32(segment, offset + 2, (int) value);
    }

    static long get64(MemorySegment segment, long offset) {
        return segment.get(LONG, offset);
    }

    static void put64(MemorySegment segment, long offset, long value) {
        segment.set(LONG, offset, value);
    }
}
