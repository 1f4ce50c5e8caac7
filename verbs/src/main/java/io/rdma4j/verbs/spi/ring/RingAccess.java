// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Layouts for reads and writes of ring elements, little-endian. Two adjacent fields of 32 bits are accessed as one word
 * where both are needed. Each access of a memory segment costs its checks, independent of its size.
 */
final class RingAccess {
    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private RingAccess() {}

    /** The field at the lower address is {@code first}. */
    static long pair(int first, int second) {
        return Integer.toUnsignedLong(first) | (long) second << Integer.SIZE;
    }

    static int first(long pair) {
        return (int) pair;
    }

    static int second(long pair) {
        return (int) (pair >>> Integer.SIZE);
    }
}
