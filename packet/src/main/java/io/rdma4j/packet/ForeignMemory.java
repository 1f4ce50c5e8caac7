package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;

/** Memory of another process that cannot be mapped here: bytes can be copied out of it, and that is all. For one thread at a time. */
public interface ForeignMemory {
    /**
     * Copies bytes out of it. Allocates nothing unless it fails.
     *
     * @param address of the first byte in that process
     * @param target native memory
     * @param at offset in {@code target}
     * @param length bytes
     * @throws IllegalStateException if they are not to be had, or not any more, as of a segment whose arena was closed; what lies at
     *     {@code target} is undefined then, and {@link #isAlive} is false from now on
     */
    void copy(long address, MemorySegment target, long at, int length);

    /** {@return false if a copy has failed} */
    boolean isAlive();
}
