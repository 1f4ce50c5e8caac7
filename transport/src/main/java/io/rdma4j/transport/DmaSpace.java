package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * The addresses by which a device reaches memory that was mapped for it: one space, seen by all DMA regions. Answers to the
 * tables of an IOMMU.
 *
 * <p>Addresses are given once and never again, so a stale one leads nowhere; between two mappings there is a gap, so that no
 * request runs from one into the next. Whoever changes it has made sure that nobody is in the port loop.
 */
public final class DmaSpace {
    private static final long PAGE = 4096;
    private static final long FIRST_PAGE = PAGE;

    private final TreeMap<Long, MemorySegment> mappings = new TreeMap<>();
    private final List<RegionKey> regions = new ArrayList<>();
    private Pieces pieces = new Pieces(mappings);
    private long nextPage = FIRST_PAGE;

    /**
     * Gives memory an address, with the same offset in its page as the memory has.
     *
     * @throws RdmaException ENOMEM once all addresses were given
     */
    public long map(MemorySegment memory) {
        long inPage = memory.address() & (PAGE - 1);
        long room = Long.MAX_VALUE - nextPage - 2 * PAGE - inPage;
        if (memory.byteSize() > room) {
            throw new RdmaException(
                    Errno.ENOMEM, memory.byteSize() + " bytes to be mapped: only " + Math.max(0, room) + " are left");
        }
        long address = nextPage + inPage;
        long end = address + memory.byteSize();
        nextPage = (end + 2 * PAGE - 1) & -PAGE;
        mappings.put(address, memory);
        publish();
        return address;
    }

    /** Ends what {@link #map} began. */
    public void unmap(long address) {
        mappings.remove(address);
        publish();
    }

    void attach(RegionKey region) {
        regions.add(region);
        region.follow(pieces);
    }

    void detach(RegionKey region) {
        regions.remove(region);
    }

    private void publish() {
        pieces = new Pieces(mappings);
        for (RegionKey region : regions) {
            region.follow(pieces);
        }
    }
}
