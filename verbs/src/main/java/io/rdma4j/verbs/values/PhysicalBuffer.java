// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * A range of device addresses that a {@link io.rdma4j.verbs.kernel.DmaTable} assigned to memory. Corresponds to {@code
 * struct ib_phys_buf}, and to {@code ib_sg_dma_address} and {@code ib_sg_dma_len} of a mapped list's entry.
 *
 * @param address device address of the first byte: 64 bits
 * @param lengthBytes at least 1
 */
public record PhysicalBuffer(long address, long lengthBytes) {
    /**
     * Checks the length.
     *
     * @throws RdmaException EINVAL if the length is below 1
     */
    public PhysicalBuffer {
        if (lengthBytes < 1) {
            throw new RdmaException(
                    Errno.EINVAL,
                    String.format("a buffer of %d bytes at 0x%x: it must have 1 at least", lengthBytes, address));
        }
    }

    @Override
    public String toString() {
        return String.format("buffer of %d bytes at 0x%x", lengthBytes, address);
    }
}
