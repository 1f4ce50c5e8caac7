// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies the payload of a short message. The copy of bytes without layouts does the same, but the compiler inlines its
 * loops for the shortest payloads at each call, and has a limit for what it inlines.
 */
public final class ShortCopy {
    private ShortCopy() {}

    /**
     * Copies bytes.
     *
     * @throws IllegalStateException if memory on either side was closed
     */
    public static void copy(MemorySegment source, long from, MemorySegment target, long to, int length) {
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, from, target, ValueLayout.JAVA_BYTE, to, length);
    }
}
