package io.rdma4j.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** A fast memory region of the older kind, which is mapped and unmapped by call. Calls about one do not come at once. */
public interface FmrOps extends AutoCloseable {
    /** {@return its key now, local and remote: 32 bits, another one after each {@link #map}} */
    int key();

    /**
     * {@code ib_map_phys_fmr}: the key is good for these pages and nothing else, whatever was mapped before; nobody can use the
     * former key.
     *
     * @param pieces native, accessible from every thread, whole pages; writable if the rights need that
     * @param iova what work requests call the first byte
     */
    void map(List<MemorySegment> pieces, long iova);

    /** {@code ib_unmap_fmr}: after it the device does not touch the memory. */
    void unmap();

    /** {@code ib_dealloc_fmr}; it was unmapped. */
    @Override
    void close();
}
