// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Bytes that are determined by a key and their offset. */
public final class Pattern {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Pattern() {}

    /** Writes the first {@code length} bytes of {@code key} to {@code offset} of {@code target}. */
    public static void write(long key, MemorySegment target, long offset, long length) {
        long whole = length & -Long.BYTES;
        for (long i = 0; i < whole; i += Long.BYTES) {
            target.set(WORD, offset + i, Seeds.at(key, i / Long.BYTES));
        }
        long word = Seeds.at(key, whole / Long.BYTES);
        for (long i = whole; i < length; i++) {
            target.set(ValueLayout.JAVA_BYTE, offset + i, (byte) word);
            word >>>= Byte.SIZE;
        }
    }
}
