// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/** Options of a DMA mapping. Correspond to {@code DMA_ATTR_*}; all except {@link #SKIP_CPU_SYNC} are hints. */
public enum DmaAttribute {
    /** Writes to this memory follow all earlier writes. */
    WRITE_BARRIER,
    /** Reads and writes may be reordered. */
    WEAK_ORDERING,
    /** Writes may be combined. */
    WRITE_COMBINE,
    /**
     * Mapping does not transfer the memory to the device. The application owns it until {@link
     * io.rdma4j.verbs.kernel.DmaMapping#syncForDevice}. For applications that map once and transfer often.
     */
    SKIP_CPU_SYNC
}
