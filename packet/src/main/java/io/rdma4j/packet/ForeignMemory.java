// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;

/** Memory of another process that is not mapped into this one. It can only be copied from, by one thread at a time. */
public interface ForeignMemory {
    /**
     * Copies bytes into this process. Allocates only if it fails.
     *
     * @param address address of the first byte in the other process
     * @param target native memory
     * @param at offset in {@code target}
     * @param length bytes
     * @throws IllegalStateException if the memory cannot be read or is no longer readable, as with a closed arena. The
     *     content of {@code target} is undefined then, and {@link #isAlive} is false from now on.
     */
    void copy(long address, MemorySegment target, long at, int length);

    /** {@return false if a copy has failed} */
    boolean isAlive();
}
