// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Describes differences between two memory segments. */
public final class Difference {
    private Difference() {}

    /**
     * Returns the number and range of different bytes as text; empty if there are none. The segments have equal
     * lengths.
     */
    public static String describe(MemorySegment actual, MemorySegment expected) {
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
