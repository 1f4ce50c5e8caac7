package io.rdma4j.verbs.spi;

/** Memory that was mapped for the device. Any thread may call. */
public interface DmaOps extends AutoCloseable {
    /** {@return where its first byte is for the device} */
    long address();

    /** {@code ib_dma_sync_single_for_cpu}: after it the device does not touch the memory, and has it written all that it shall. */
    void syncForCpu();

    /** {@code ib_dma_sync_single_for_device}: the device may touch it again, as far as the direction says. */
    void syncForDevice();

    /** {@code ib_dma_unmap_single}: after it the device does not touch the memory. */
    @Override
    void close();
}
