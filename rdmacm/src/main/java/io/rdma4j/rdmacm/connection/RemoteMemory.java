// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Memory of the peer, for {@link RdmaConnection#read} and {@link RdmaConnection#write}. {@link RdmaConnection#share}
 * makes one for own memory, which the peer gets in private data or a message.
 *
 * @param address of the first byte
 * @param length in bytes
 * @param rkey key
 */
public record RemoteMemory(long address, int length, int rkey) {
    /** Bytes of {@link #toBytes}. */
    public static final int BYTES = 16;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** {@return the values in {@value #BYTES} bytes, big-endian} */
    public byte[] toBytes() {
        byte[] bytes = new byte[BYTES];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        segment.set(LONG, 0, address);
        segment.set(INT, Long.BYTES, length);
        segment.set(INT, Long.BYTES + Integer.BYTES, rkey);
        return bytes;
    }

    /**
     * {@return the values that {@link #toBytes} wrote}
     *
     * @param segment begins with them
     */
    public static RemoteMemory of(MemorySegment segment) {
        return new RemoteMemory(
                segment.get(LONG, 0), segment.get(INT, Long.BYTES), segment.get(INT, Long.BYTES + Integer.BYTES));
    }
}
