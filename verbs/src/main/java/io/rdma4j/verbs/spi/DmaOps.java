// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

/** The provider's part of a DMA mapping. Any thread. */
public interface DmaOps extends AutoCloseable {
    /** {@return the device address of the first byte} */
    long address();

    /**
     * Transfers the memory to the CPU ({@code ib_dma_sync_single_for_cpu}): after it all writes of the device are
     * complete, and the device does not access the memory.
     */
    void syncForCpu();

    /**
     * Transfers the memory to the device ({@code ib_dma_sync_single_for_device}): after it the device may access it as
     * the direction allows.
     */
    void syncForDevice();

    /** Unmaps the memory ({@code ib_dma_unmap_single}): after it the device does not access it. */
    @Override
    void close();
}
