// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/**
 * Direction of the data between mapped memory and the device. Corresponds to {@code enum dma_data_direction}. Each
 * mapping has one direction; the device may not access the memory otherwise.
 */
public enum DmaDirection {
    /** The device reads and writes. */
    BIDIRECTIONAL(true, true),
    /** From main memory to the device: the device reads. */
    TO_DEVICE(true, false),
    /** From the device to main memory: the device writes. */
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
