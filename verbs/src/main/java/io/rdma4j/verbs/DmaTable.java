package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Which memory of the program a device reaches, and by which addresses: the calls {@code ib_dma_*}. The addresses are of the
 * device alone, like those that an IOMMU translates; {@linkplain ProtectionDomain#dmaRegion DMA regions} and
 * {@linkplain ProtectionDomain#registerPhysical regions of physical buffers} are about them.
 *
 * <p>A program that has objects closes them ({@link DmaMapping}). One that has addresses only, as code from the kernel has,
 * unmaps by address, and must say what it mapped. The table shows what was mapped through its context; the device has one
 * space of addresses for all. Any thread may call.
 */
public final class DmaTable {
    /** An address that no device has: what {@link #tryMap} returns when nothing was mapped. Answers to {@code DMA_MAPPING_ERROR}. */
    public static final long MAPPING_ERROR = -1L;

    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;

    private final Context context;
    private final ConcurrentNavigableMap<Long, DmaMapping> mappings =
            new ConcurrentSkipListMap<>(Long::compareUnsigned);

    /** Addresses that {@link #tryMap} gave and nobody has asked {@link #isMappingError} about; kept while debugging. */
    private final Set<Long> unchecked = ConcurrentHashMap.newKeySet();

    private volatile boolean debugged;

    DmaTable(Context context) {
        this.context = context;
    }

    /** {@return the context whose device it is about} */
    public Context context() {
        return context;
    }

    // Mapping

    /**
     * Gives memory an address of the device. Answers to {@code ib_dma_map_single} and, with attributes,
     * {@code ib_dma_map_single_attrs}.
     *
     * @param segment stays the program's; until it is unmapped it is the device's to use
     * @param direction what the device may do with the memory: read it, write it, or both
     * @param attributes how; none are needed
     * @return the mapping, whose close ends it
     * @throws RdmaException EINVAL for heap, confined, closed or empty memory, and for read-only memory that the device would
     *     write; ENOMEM if the device has no addresses left; EOPNOTSUPP if it maps none
     */
    public DmaMapping map(MemorySegment segment, DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        return map(DmaKind.SINGLE, segment, direction, attributes(attributes), null);
    }

    /**
     * The same for a program that goes on without: answers to {@code ib_dma_map_single} to the letter.
     *
     * @param segment stays the program's; until it is unmapped it is the device's to use
     * @param direction what the device may do with the memory: read it, write it, or both
     * @param attributes how; none are needed
     * @return the address, or {@link #MAPPING_ERROR} if the device has none left; ask {@link #isMappingError}
     * @throws RdmaException as {@link #map(MemorySegment, DmaDirection, DmaAttribute...)}, but for ENOMEM
     */
    public long tryMap(MemorySegment segment, DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        long address;
        try {
            address = map(segment, direction, attributes).address();
        } catch (RdmaException e) {
            if (e.errno() != Errno.ENOMEM) {
                throw e;
            }
            return MAPPING_ERROR;
        }
        if (debugged) {
            unchecked.add(address);
        }
        return address;
    }

    /**
     * {@return true if nothing was mapped: to be asked of every address that {@link #tryMap} returns} Answers to
     * {@code ib_dma_mapping_error}.
     *
     * @param address what {@link #tryMap} returned
     */
    public boolean isMappingError(long address) {
        unchecked.remove(address);
        return address == MAPPING_ERROR;
    }

    /**
     * Maps a part of a page. Answers to {@code ib_dma_map_page}.
     *
     * @param page one page of {@link FastMemoryRegion#PAGE_BYTES}, which begins at a page border
     * @param offset in it
     * @param length bytes; with the offset no more than the page has
     * @param direction what the device may do with the memory: read it, write it, or both
     * @return the mapping, whose close ends it
     * @throws RdmaException as {@link #map(MemorySegment, DmaDirection, DmaAttribute...)}; EINVAL for what is no page, or a part
     *     that is not inside
     */
    public DmaMapping mapPage(MemorySegment page, long offset, long length, DmaDirection direction) {
        context.life().checkUsable();
        Arguments.present("page", page);
        Arguments.present("direction", direction);
        if (page.byteSize() != PAGE || page.address() % PAGE != 0) {
            throw new RdmaException(
                    Errno.EINVAL,
                    String.format(
                            "%d bytes at 0x%x are no page: it has %d bytes and begins at a multiple of that",
                            page.byteSize(), page.address(), PAGE));
        }
        Arguments.within("a page", offset, length, PAGE);
        return map(page.asSlice(offset, length), direction);
    }

    /**
     * Maps pieces of memory, all or none. Answers to {@code ib_dma_map_sg} and {@code ib_dma_map_sg_attrs}, which return 0 where
     * this throws.
     *
     * @param pieces stay the program's; one at least
     * @param direction what the device may do with the memory: read it, write it, or both
     * @param attributes how; none are needed
     * @return the mapping of all of them, whose close ends it
     * @throws RdmaException as {@link #map(MemorySegment, DmaDirection, DmaAttribute...)}; EINVAL for no pieces
     */
    public DmaScatterMapping map(
            List<MemorySegment> pieces, DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        return map(pieces, direction, attributes(attributes), () -> {});
    }

    /** Null stands for none, as in C. */
    static Set<DmaAttribute> attributes(DmaAttribute @Nullable [] given) {
        return given == null ? Set.of() : Set.copyOf(Arguments.allPresent("attributes", given));
    }

    DmaScatterMapping map(
            List<MemorySegment> pieces, DmaDirection direction, Set<DmaAttribute> attributes, Runnable onClose) {
        Arguments.allPresent("pieces", pieces);
        Arguments.present("direction", direction);
        if (pieces.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, "a scatter list has at least one piece of memory");
        }
        List<DmaMapping> done = new ArrayList<>();
        try {
            for (MemorySegment piece : pieces) {
                done.add(map(DmaKind.SCATTER, piece, direction, attributes, null));
            }
        } catch (RuntimeException e) {
            done.forEach(DmaMapping::close);
            throw e;
        }
        return new DmaScatterMapping(done, onClose);
    }

    /**
     * Allocates memory, filled with 0, that program and device use at once. Answers to {@code ib_dma_alloc_coherent}, which
     * returns null where this throws.
     *
     * @param lengthBytes at least 1; the memory begins at a page border
     * @return its {@link DmaMapping#segment} is for the program, its {@link DmaMapping#address} for the device; closing it frees
     *     the memory
     * @throws RdmaException EINVAL for less than 1 byte; ENOMEM if there is not as much memory, or no address left; EOPNOTSUPP if
     *     the device maps none
     */
    public DmaMapping allocateCoherent(long lengthBytes) {
        Arguments.range("size", lengthBytes, 1, Long.MAX_VALUE);
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = context.allocateBuffer(lengthBytes, PAGE, arena);
            return map(DmaKind.COHERENT, memory, DmaDirection.BIDIRECTIONAL, Set.of(), arena);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new RdmaException(Errno.ENOMEM, "coherent memory of " + lengthBytes + " bytes: " + e.getMessage());
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private DmaMapping map(
            DmaKind kind,
            MemorySegment segment,
            DmaDirection direction,
            Set<DmaAttribute> attributes,
            @Nullable Arena arena) {
        Arguments.present("segment", segment);
        Arguments.present("direction", direction);
        MemoryCheck.segment(segment);
        if (segment.isReadOnly() && direction.isWrittenByDevice()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "a read-only segment cannot be mapped " + direction + ", only " + DmaDirection.TO_DEVICE);
        }
        refuseOverlap(segment, direction);
        VarHandle.releaseFence();
        return context.life().admit(ObjectKind.DMA_MAPPING, () -> {
            DmaMapping mapping = new DmaMapping(
                    this,
                    kind,
                    segment,
                    direction,
                    attributes,
                    arena,
                    context.ops().mapDma(segment, direction, attributes));
            mappings.put(mapping.address(), mapping);
            return mapping;
        });
    }

    // By address

    /**
     * Ends a mapping of one piece. Answers to {@code ib_dma_unmap_single}, {@code ib_dma_unmap_single_attrs} and
     * {@code ib_dma_unmap_page}.
     *
     * @param address what the mapping gave
     * @param lengthBytes that were mapped
     * @param direction that they were mapped for
     * @param attributes that they were mapped with
     * @throws RdmaException EINVAL if nothing was mapped at this address, or something else; EBUSY while a region consists of it
     */
    public void unmap(long address, long lengthBytes, DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        Arguments.present("direction", direction);
        DmaMapping mapping = at(address);
        check(mapping, DmaKind.SINGLE, lengthBytes, direction, attributes(attributes));
        if (unchecked.remove(address)) {
            throw new RdmaException(Errno.EINVAL, "nobody asked isMappingError of " + mapping);
        }
        mapping.close();
    }

    /**
     * Ends the mapping of a list. Answers to {@code ib_dma_unmap_sg} and {@code ib_dma_unmap_sg_attrs}.
     *
     * @param list what {@code map} returned
     * @param count how many pieces were mapped
     * @param direction that they were mapped for
     * @param attributes that they were mapped with
     * @throws RdmaException EINVAL if the list was unmapped before, or mapped otherwise; EBUSY while a region consists of some
     */
    public void unmap(
            DmaScatterMapping list, int count, DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        context.life().checkOpen();
        Arguments.present("list", list);
        Arguments.present("direction", direction);
        DmaMapping first = list.first();
        context.checkSame(first.context(), list);
        first.life().checkOpen();
        if (count != list.entries().size()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    list + " was mapped with " + list.entries().size() + " pieces, and is to be unmapped with "
                            + count);
        }
        check(first, DmaKind.SCATTER, first.lengthBytes(), direction, attributes(attributes));
        list.close();
    }

    /**
     * Frees coherent memory. Answers to {@code ib_dma_free_coherent}.
     *
     * @param lengthBytes that were allocated
     * @param memory that was returned
     * @param address that was returned
     * @throws RdmaException EINVAL if it is not what was allocated
     */
    public void freeCoherent(long lengthBytes, MemorySegment memory, long address) {
        Arguments.present("memory", memory);
        DmaMapping mapping = at(address);
        check(mapping, DmaKind.COHERENT, lengthBytes, DmaDirection.BIDIRECTIONAL, Set.of());
        if (memory.address() != mapping.segment().address()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    String.format(
                            "%s lies at 0x%x for the program, and is to be freed at 0x%x",
                            mapping, mapping.segment().address(), memory.address()));
        }
        mapping.close();
    }

    /**
     * Gives mapped memory to the program; see {@link DmaMapping#syncForCpu}. Answers to {@code ib_dma_sync_single_for_cpu}.
     *
     * @param address of the device, anywhere in one mapping
     * @param lengthBytes from there on, within that mapping
     * @param direction what the device may do with the memory: read it, write it, or both
     * @throws RdmaException EINVAL as {@link DmaMapping#syncForCpu}, and if nothing or something else was mapped at the address
     */
    public void syncForCpu(long address, long lengthBytes, DmaDirection direction) {
        synced(address, lengthBytes, direction).syncForCpu();
    }

    /**
     * Gives mapped memory back to the device; see {@link DmaMapping#syncForDevice}. Answers to
     * {@code ib_dma_sync_single_for_device}.
     *
     * @param address of the device, anywhere in one mapping
     * @param lengthBytes from there on, within that mapping
     * @param direction what the device may do with the memory: read it, write it, or both
     * @throws RdmaException EINVAL as {@link DmaMapping#syncForDevice}, and if nothing or something else was mapped at the address
     */
    public void syncForDevice(long address, long lengthBytes, DmaDirection direction) {
        synced(address, lengthBytes, direction).syncForDevice();
    }

    private DmaMapping synced(long address, long lengthBytes, DmaDirection direction) {
        Arguments.present("direction", direction);
        DmaMapping mapping = at(address);
        check(mapping, mapping.kind(), lengthBytes, direction, mapping.attributes());
        return mapping;
    }

    private DmaMapping at(long address) {
        context.life().checkOpen();
        DmaMapping mapping = mappings.get(address);
        if (mapping == null) {
            throw new RdmaException(Errno.EINVAL, String.format("nothing is mapped at 0x%x", address));
        }
        return mapping;
    }

    private static void check(
            DmaMapping mapping, DmaKind kind, long lengthBytes, DmaDirection direction, Set<DmaAttribute> attributes) {
        same(mapping, "kind", mapping.kind(), kind);
        same(mapping, "size", mapping.lengthBytes(), lengthBytes);
        same(mapping, "direction", mapping.direction(), direction);
        same(mapping, "attributes", mapping.attributes(), attributes);
    }

    private static void same(DmaMapping mapping, String what, Object mapped, Object said) {
        if (!mapped.equals(said)) {
            throw new RdmaException(
                    Errno.EINVAL, String.format("%s was mapped with %s %s, not %s", mapping, what, mapped, said));
        }
    }

    /**
     * What is behind addresses of the device.
     *
     * @param buffers each within one mapping
     * @param access what a region of them shall grant, besides local reads
     */
    PhysicalMemory resolve(List<PhysicalBuffer> buffers, Set<AccessFlag> access) {
        boolean writes = access.stream().anyMatch(MemoryCheck.WRITING::contains);
        List<MemorySegment> pieces = new ArrayList<>();
        List<DmaMapping> used = new ArrayList<>();
        for (PhysicalBuffer buffer : buffers) {
            Map.Entry<Long, DmaMapping> entry = mappings.floorEntry(buffer.address());
            if (entry == null || !entry.getValue().holds(buffer)) {
                throw new RdmaException(Errno.EINVAL, buffer + " is not mapped by one mapping");
            }
            DmaMapping mapping = entry.getValue();
            DmaDirection direction = mapping.direction();
            if (!direction.isReadByDevice() || writes && !direction.isWrittenByDevice()) {
                throw new RdmaException(
                        Errno.EINVAL,
                        mapping + " is mapped " + direction + ": too little for local reads and " + access);
            }
            pieces.add(mapping.slice(buffer));
            used.add(mapping);
        }
        return new PhysicalMemory(pieces, used);
    }

    /**
     * Makes a list of pages for fast registration. Answers to {@code ib_alloc_fast_reg_page_list}.
     *
     * @param maxPages {@code page_list_len}
     * @return the list, empty; to be closed before the context
     * @throws RdmaException EINVAL if they are not in 1..{@code max_fast_reg_page_list_len}; EOPNOTSUPP if the device has no fast
     *     registration
     */
    public FastRegPageList allocatePageList(int maxPages) {
        context.admission().require(DeviceCapability.MEM_MGT_EXTENSIONS);
        Arguments.range(
                "page_list_len", maxPages, 1, context.queryDevice().limit(DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN));
        return context.life().admit(ObjectKind.FAST_REG_PAGE_LIST, () -> new FastRegPageList(context, maxPages));
    }

    // Pinning and debugging

    /**
     * Brings memory in and holds it, page by page, so that it can be mapped for a device. Answers to {@code get_user_pages}.
     *
     * @param segment native, alive and accessible from every thread
     * @return the pages, held until it is closed
     * @throws RdmaException EINVAL for heap, confined, closed or empty memory
     */
    public PinnedPages pin(MemorySegment segment) {
        Arguments.present("segment", segment);
        MemoryCheck.segment(segment);
        return context.life().admit(ObjectKind.PINNED_PAGES, () -> new PinnedPages(this, segment));
    }

    /**
     * Whether the program's side of the rules is looked at as well: memory is not looked at or handed over while the device has
     * it, no two mappings share memory that the device writes, every address of {@link #tryMap} is asked about. Off at first.
     * Answers to {@code CONFIG_DMA_API_DEBUG}.
     *
     * @param on true to look from now on
     */
    public void debug(boolean on) {
        debugged = on;
    }

    boolean isDebugged() {
        return debugged;
    }

    private void refuseOverlap(MemorySegment segment, DmaDirection direction) {
        if (!debugged) {
            return;
        }
        for (DmaMapping other : mappings.values()) {
            if (other.isInTheWayOf(segment, direction)) {
                throw new RdmaException(
                        Errno.EEXIST,
                        String.format(
                                "%d bytes at 0x%x are to be mapped %s, and %s is about some of them: %s",
                                segment.byteSize(), segment.address(), direction, other, other.direction()));
            }
        }
    }

    void forget(DmaMapping mapping) {
        mappings.remove(mapping.address(), mapping);
    }

    @Override
    public String toString() {
        return "DMA table of " + context;
    }
}
