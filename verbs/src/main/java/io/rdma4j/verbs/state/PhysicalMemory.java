// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.verbs.core.Lifecycle;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The memory behind a list of device addresses.
 *
 * @param pieces the memory segments, read-only where the device may not write
 * @param mappings lifecycles of their DMA mappings, which may not be closed while the memory is in use
 */
public record PhysicalMemory(List<MemorySegment> pieces, List<Lifecycle> mappings) {
    /** Memory without DMA mappings. */
    public static PhysicalMemory of(List<MemorySegment> pieces) {
        return new PhysicalMemory(List.copyOf(pieces), List.of());
    }

    public Lifecycle[] used() {
        return mappings.toArray(Lifecycle[]::new);
    }
}
