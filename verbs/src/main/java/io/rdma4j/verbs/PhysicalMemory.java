package io.rdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What the device's addresses lead to.
 *
 * @param pieces the memory, read-only where the device may not write
 * @param mappings by which it is reached, one a piece
 */
record PhysicalMemory(List<MemorySegment> pieces, List<DmaMapping> mappings) {
    /** Memory that was not mapped, and need not be. */
    static PhysicalMemory of(List<MemorySegment> pieces) {
        return new PhysicalMemory(List.copyOf(pieces), List.of());
    }

    /** The mappings, to be kept from being closed. */
    Lifecycle[] used() {
        return mappings.stream().map(DmaMapping::life).toArray(Lifecycle[]::new);
    }
}
