package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * Memory as the device sees it: what a {@link DmaTable} gave it for an address. Answers to {@code struct ib_phys_buf}, and to
 * what {@code ib_sg_dma_address} and {@code ib_sg_dma_len} tell of a mapped list's entry.
 *
 * @param address of the device: 64 bits
 * @param lengthBytes from there on; at least 1
 */
public record PhysicalBuffer(long address, long lengthBytes) {
    /**
     * Checks the length.
     *
     * @throws RdmaException EINVAL if it is empty
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
