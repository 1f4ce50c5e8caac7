package io.rdma4j.testing.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Says where memory differs from what it should be. */
final class Difference {
    private Difference() {}

    /** For people: how many bytes between which are wrong; empty if none is. The segments are of one length. */
    static String describe(MemorySegment actual, MemorySegment expected) {
        long first = actual.mismatch(expected);
        if (first < 0) {
            return "";
        }
        long last = first;
        long count = 0;
        for (long i = first; i < actual.byteSize(); i++) {
            if (actual.get(ValueLayout.JAVA_BYTE, i) != expected.get(ValueLayout.JAVA_BYTE, i)) {
                last = i;
                count++;
            }
        }
        return "%d bytes from %d to %d are wrong".formatted(count, first, last);
    }
}
