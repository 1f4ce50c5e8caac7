// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;

/** Adds bytes to a checksum; used by {@link SkBuff#checksum}. */
@FunctionalInterface
public interface ChecksumStep {
    /**
     * {@return the sum after {@code length} more bytes; must not allocate}
     *
     * @param sum so far
     * @param memory source of the bytes
     * @param offset of the first byte in {@code memory}
     * @param length bytes
     * @param odd true if the number of bytes added before is odd
     */
    int add(int sum, MemorySegment memory, long offset, int length, boolean odd);
}
