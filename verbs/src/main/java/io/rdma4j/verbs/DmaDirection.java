package io.rdma4j.verbs;

/**
 * Which way data go between memory and the device that it is mapped for. Answers to {@code enum dma_data_direction}; each
 * mapping has one, and the device may do nothing else.
 */
public enum DmaDirection {
    /** The device reads and writes. */
    BIDIRECTIONAL(true, true),
    /** From main memory to the device: it reads. */
    TO_DEVICE(true, false),
    /** From the device to main memory: it writes. */
    FROM_DEVICE(false, true);

    private final boolean reads;
    private final boolean writes;

    DmaDirection(boolean reads, boolean writes) {
        this.reads = reads;
        this.writes = writes;
    }

    /** {@return true if the device may read the memory} */
    public boolean isReadByDevice() {
        return reads;
    }

    /** {@return true if the device may write the memory} */
    public boolean isWrittenByDevice() {
        return writes;
    }
}
