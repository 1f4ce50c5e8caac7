// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The pattern that fills memory. It repeats after 251 bytes, a prime number that divides no packet's length, so that
 * exchanged packets are detected.
 */
final class Pattern251 {
    private static final int PERIOD = 251;

    private Pattern251() {}

    static void fill(MemorySegment memory, int seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i % PERIOD + seed));
        }
    }
}
