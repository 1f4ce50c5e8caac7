// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import java.lang.foreign.MemorySegment;

/** The provider's part of a block of device memory. Any thread. */
public interface DmOps extends AutoCloseable {
    /**
     * Writes to the device memory. Corresponds to {@code ibv_memcpy_to_dm}; the core has checked the range.
     *
     * @param offset bytes from the start
     * @param source read only during the call
     */
    void write(long offset, MemorySegment source);

    /**
     * Reads from the device memory. Corresponds to {@code ibv_memcpy_from_dm}; the core has checked the range.
     *
     * @param offset bytes from the start
     * @param target written only during the call
     */
    void read(long offset, MemorySegment target);

    /** Frees the device memory. Corresponds to {@code ibv_free_dm}; the core has closed its regions. */
    @Override
    void close();
}
