// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of {@code struct iovec}: the memory segments that a call reads or writes. Allocates nothing after the
 * constructor.
 *
 * <p>The array contains plain addresses. The caller keeps the memory alive until the call has returned.
 */
public final class IoVector {
    /** Size of an element, bytes. */
    static final int BYTES = 16;

    private static final int LENGTH = 8;

    private final MemorySegment elements;

    /** @param capacity elements */
    public IoVector(int capacity) {
        elements = Arena.ofAuto().allocate((long) capacity * BYTES, Long.BYTES);
    }

    /** Returns the array, for calls that take the address of the first element. */
    public MemorySegment memory() {
        return elements;
    }

    /** Returns the address of element {@code index}, for structures that contain it. */
    public long address(int index) {
        return elements.address() + (long) index * BYTES;
    }

    /** Sets an element to {@code length} bytes from {@code offset} in {@code memory}. */
    public void set(int index, MemorySegment memory, long offset, long length) {
        set(index, memory.address() + offset, length);
    }

    /** Sets an element to {@code length} bytes from an address, which may be in another process. */
    public void set(int index, long address, long length) {
        elements.set(ValueLayout.JAVA_LONG, (long) index * BYTES, address);
        elements.set(ValueLayout.JAVA_LONG, (long) index * BYTES + LENGTH, length);
    }
}
