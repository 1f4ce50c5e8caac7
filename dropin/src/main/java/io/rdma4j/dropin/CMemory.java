// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Gid;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads and writes memory of the C program by address. */
final class CMemory {
    @SuppressWarnings("restricted") // the addresses are those of the program
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    private CMemory() {}

    static long getLong(long address) {
        return ALL.get(LONG, address);
    }

    static int getInt(long address) {
        return ALL.get(INT, address);
    }

    static int getShort(long address) {
        return Short.toUnsignedInt(ALL.get(SHORT, address));
    }

    static int getByte(long address) {
        return Byte.toUnsignedInt(ALL.get(ValueLayout.JAVA_BYTE, address));
    }

    static Gid getGid(long address) {
        return new Gid(Long.reverseBytes(getLong(address)), Long.reverseBytes(getLong(address + Long.BYTES)));
    }

    static void putLong(long address, long value) {
        ALL.set(LONG, address, value);
    }

    /** Writes the low 32 bits. */
    static void putInt(long address, long value) {
        ALL.set(INT, address, (int) value);
    }

    static void putShort(long address, int value) {
        ALL.set(SHORT, address, (short) value);
    }

    static void putByte(long address, int value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, (byte) value);
    }

    static void putGid(long address, Gid gid) {
        putLong(address, Long.reverseBytes(gid.prefix()));
        putLong(address + Long.BYTES, Long.reverseBytes(gid.interfaceId()));
    }

    /** Writes a text that ends with a zero byte, cut to {@code capacity} bytes with it. */
    static void putText(long address, String text, int capacity) {
        String cut = text.length() < capacity ? text : text.substring(0, capacity - 1);
        ALL.setString(address, cut);
    }

    static void clear(long address, long length) {
        segment(address, length).fill((byte) 0);
    }

    static void copy(long from, MemorySegment to, long offset, long length) {
        MemorySegment.copy(ALL, from, to, offset, length);
    }

    static MemorySegment segment(long address, long length) {
        return ALL.asSlice(address, length);
    }
}
