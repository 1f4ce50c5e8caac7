package io.rdma4j.net.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of {@code struct iovec}: which pieces of memory a call reads or writes. Allocates nothing after the constructor.
 *
 * <p>It holds plain addresses, so whoever fills it in sees to it that the memory lives until the call is over.
 */
final class IoVector {
    /** Size of an element. */
    static final int BYTES = 16;

    private static final int LENGTH = 8;

    private final MemorySegment elements;

    /** @param capacity elements */
    IoVector(int capacity) {
        elements = Arena.ofAuto().allocate((long) capacity * BYTES, Long.BYTES);
    }

    /** For calls that take the address of the first element. */
    MemorySegment memory() {
        return elements;
    }

    /** For structures that hold the address of element {@code index}. */
    long address(int index) {
        return elements.address() + (long) index * BYTES;
    }

    /** Lets an element point at {@code length} bytes from {@code offset} in {@code memory}. */
    void set(int index, MemorySegment memory, long offset, long length) {
        set(index, memory.address() + offset, length);
    }

    /** The same by its address, perhaps in another process. */
    void set(int index, long address, long length) {
        elements.set(ValueLayout.JAVA_LONG, (long) index * BYTES, address);
        elements.set(ValueLayout.JAVA_LONG, (long) index * BYTES + LENGTH, length);
    }
}
