package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.DmaDirection;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The addresses by which a device reaches memory that a context has mapped for it: one space a context, seen by all DMA regions of the
 * context and by no others. Answers to the tables of an IOMMU.
 *
 * <p>Addresses are given once and never again, so a stale one leads nowhere; between two mappings there is a gap, so that no
 * request runs from one into the next. Whoever changes it has made sure that nobody is in the port loop.
 */
public final class DmaSpace {
    private static final long PAGE = 4096;
    private static final long FIRST_PAGE = PAGE;

    private final TreeMap<Long, DmaEntry> mappings = new TreeMap<>();
    private final List<RegionKey> regions = new ArrayList<>();
    private long nextPage = FIRST_PAGE;

    /** The region of this space that the reserved key means; null as long as the key was not asked for. */
    private volatile @Nullable RegionKey reserved;

    /** A space in which nothing is mapped. */
    public DmaSpace() {}

    /**
     * Gives memory an address, with the same offset in its page as the memory has.
     *
     * @param memory of one piece; stays where it is
     * @param direction what the device may do with it
     * @return the address of its first byte
     * @throws RdmaException ENOMEM once all addresses were given
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
     * Says whose turn it is with what {@link #map} gave this address to: the device's, as at first, or the program's.
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
     * Ends what {@link #map} began.
     *
     * @param address what {@link #map} returned
     */
    public void unmap(long address) {
        mappings.remove(address);
        publish();
    }

    /** {@return the region that the reserved key means here} Nobody is in the port loop. */
    RegionKey reserve(int key) {
        RegionKey made = reserved;
        if (made == null) {
            made = new RegionKey(key, MemoryKey.ANY_DOMAIN, this, AccessFlag.LOCAL_WRITE.bit());
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
        region.follow(new Pieces(mappings));
    }

    void detach(RegionKey region) {
        regions.remove(region);
    }

    /** Without regions there is nobody to tell: mapping is cheap then, however much is mapped. */
    private void publish() {
        if (!regions.isEmpty()) {
            Pieces pieces = new Pieces(mappings);
            regions.forEach(region -> region.follow(pieces));
        }
    }
}
