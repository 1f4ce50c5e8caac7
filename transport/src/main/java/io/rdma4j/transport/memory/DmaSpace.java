// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaDirection;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The addresses by which a device accesses memory that a context has mapped for it. Each context has one space, which
 * all DMA regions of that context use, and no others. Corresponds to the tables of an IOMMU.
 *
 * <p>Addresses are never reused, so a stale address is invalid. There is a gap between two mappings, so that no request
 * runs from one into the next. The caller that changes a space ensures that no thread runs the port loop.
 */
public final class DmaSpace {
    private static final long PAGE = 4096;
    private static final long FIRST_PAGE = PAGE;

    private final TreeMap<Long, DmaEntry> mappings = new TreeMap<>();
    private final List<RegionKey> regions = new ArrayList<>();
    private long nextPage = FIRST_PAGE;

    /** The region of this space for the reserved key; null until the key is requested. */
    private volatile @Nullable RegionKey reserved;

    /** Creates a space in which nothing is mapped. */
    public DmaSpace() {}

    /**
     * Maps memory at an address with the same offset in its page as the memory has.
     *
     * @param memory one contiguous segment; stays where it is
     * @param direction what the device may do with it
     * @return the address of its first byte
     * @throws RdmaException ENOMEM if all addresses have been used
     */
    public long map(MemorySegment memory, DmaDirection direction) {
        long inPage = memory.address() & (PAGE - 1);
        long room = Long.MAX_VALUE - nextPage - 2 * PAGE - inPage;
        if (memory.byteSize() > room) {
            throw new RdmaException(
                    Errno.ENOMEM, memory.byteSize() + " bytes to be mapped: only " + Math.max(0, room) + " are left");
        }
        long address = nextPage + inPage;
        long end = address + memory.byteSize();
        nextPage = (end + 2 * PAGE - 1) & -PAGE;
        mappings.put(address, new DmaEntry(memory, direction));
        publish();
        return address;
    }

    /**
     * Sets the owner of a mapping: the device, as at first, or the application.
     *
     * @param address what {@link #map} returned
     * @param toDevice true if the device may use it from now on
     */
    public void hand(long address, boolean toDevice) {
        DmaEntry entry = mappings.get(address);
        if (entry != null) {
            entry.hand(toDevice);
        }
    }

    /**
     * Removes a mapping.
     *
     * @param address what {@link #map} returned
     */
    public void unmap(long address) {
        mappings.remove(address);
        publish();
    }

    /** {@return the region for the reserved key in this space} No thread runs the port loop. */
    RegionKey reserve(int key) {
        RegionKey made = reserved;
        if (made == null) {
            made = new RegionKey(key, MemoryKey.ANY_DOMAIN, AccessFlag.LOCAL_WRITE.bit());
            attach(made);
            reserved = made;
        }
        return made;
    }

    @Nullable
    RegionKey reserved() {
        return reserved;
    }

    void attach(RegionKey region) {
        regions.add(region);
        region.follow(new SegmentList(mappings));
    }

    void detach(RegionKey region) {
        regions.remove(region);
    }

    /** Builds a new list only if there are regions: otherwise mapping stays cheap, however much is mapped. */
    private void publish() {
        if (!regions.isEmpty()) {
            SegmentList pieces = new SegmentList(mappings);
            regions.forEach(region -> region.follow(pieces));
        }
    }
}
