package io.rdma4j.verbs.queue;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * How the elements of rings are read and written: in little-endian order, and two fields of 32 bits that lie side by side as one
 * word where both are wanted, because each access to memory costs its checks, however little it moves.
 */
final class Words {
    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Words() {}

    /** The field at the lower address first. */
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
