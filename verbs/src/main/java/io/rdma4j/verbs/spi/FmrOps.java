// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** The provider's part of an FMR. The core does not call methods of one FMR concurrently. */
public interface FmrOps extends AutoCloseable {
    /** {@return the present L_Key and R_Key: 32 bits; changes with each {@link #map}} */
    int key();

    /**
     * Maps pages in place of those mapped before. The present key is valid for these pages only, former keys are
     * invalid. Corresponds to {@code ib_map_phys_fmr}.
     *
     * @param pieces native, accessible from every thread, whole pages; writable if the rights need that
     * @param iova address of the first byte in work requests
     */
    void map(List<MemorySegment> pieces, long iova);

    /** Unmaps the pages. Corresponds to {@code ib_unmap_fmr}: after it the device does not access the memory. */
    void unmap();

    /** Frees the FMR. Corresponds to {@code ib_dealloc_fmr}; the core has unmapped it. */
    @Override
    void close();
}
