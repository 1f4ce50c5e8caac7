package io.rdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The memory behind a list of device addresses.
 *
 * @param pieces the memory segments, read-only where the device may not write
 * @param mappings the DMA mapping of each segment
 */
record PhysicalMemory(List<MemorySegment> pieces, List<DmaMapping> mappings) {
    /** Memory without DMA mappings. */
    static PhysicalMemory of(List<MemorySegment> pieces) {
        return new PhysicalMemory(List.copyOf(pieces), List.of());
    }

    /** The mappings, which may not be closed while the memory is in use. */
    Lifecycle[] used() {
        return mappings.stream().map(DmaMapping::life).toArray(Lifecycle[]::new);
    }
}
