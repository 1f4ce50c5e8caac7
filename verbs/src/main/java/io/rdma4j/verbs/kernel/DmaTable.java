// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.state.ContextState;
import io.rdma4j.verbs.state.MemoryCheck;
import io.rdma4j.verbs.state.PhysicalMapper;
import io.rdma4j.verbs.state.PhysicalMemory;
import io.rdma4j.verbs.state.StateAccess;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.PhysicalBuffer;
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
 * Maps memory of the application for a device: the functions {@code ib_dma_*}. The addresses are valid only for the
 * device, like those that an IOMMU translates. {@linkplain io.rdma4j.verbs.ProtectionDomain#dmaRegion DMA regions} and
 * {@linkplain io.rdma4j.verbs.ProtectionDomain#registerPhysical regions of physical buffers} use these addresses.
 *
 * <p>An application either closes {@link DmaMapping} objects, or unmaps by address as kernel code does. To unmap by
 * address it repeats length, direction and attributes of the mapping. The table contains the mappings of its context;
 * all contexts of a device share one address space. Any thread.
 */
public final class DmaTable {
    /**
     * The result of {@link #tryMap} if nothing was mapped; not a valid address of any device. Corresponds to
     * {@code DMA_MAPPING_ERROR}.
     */
    public static final long MAPPING_ERROR = -1L;

    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;

    private final Context context;
    private final ContextState state;
    private final ConcurrentNavigableMap<Long, DmaMapping> mappings =
            new ConcurrentSkipListMap<>(Long::compareUnsigned);

    /**
     * Results of {@link #tryMap} that the application has not passed to {@link #isMappingError}; kept only while debug
     * checks are on.
     */
    private final Set<Long> unchecked = ConcurrentHashMap.newKeySet();

    private volatile boolean debugged;

    private DmaTable(Context context, ContextState state) {
        this.context = context;
        this.state = state;
    }

    /**
     * {@return the DMA mappings of a context, always the same object}
     *
     * @param context an open device
     */
    public static DmaTable of(Context context) {
        Arguments.present("context", context);
        ContextState state = StateAccess.ofContext(context);
        return ((Mapper) state.mapper(() -> new Mapper(new DmaTable(context, state)))).table();
    }

    /** Resolves addresses for the context; hidden, because the interface is internal. */
    private record Mapper(DmaTable table) implements PhysicalMapper {
        @Override
        public PhysicalMemory resolve(List<PhysicalBuffer> buffers, Set<AccessFlag> access) {
            return table.resolve(buffers, access);
        }
    }

    ContextState state() {
        return state;
    }

    /** {@return the context of the device} */
    public Context context() {
        return context;
    }

    // Mapping

    /**
     * Maps memory for the device. Corresponds to {@code ib_dma_map_single} and, with attributes,
     * {@code ib_dma_map_single_attrs}.
     *
     * @param segment remains allocated by the application; the device owns it until it is unmapped
     * @param direction accesses that the device may make: reads, writes or both
     * @param attributes options of the mapping; may be empty
     * @return the mapping; closing it unmaps the memory
     * @throws RdmaException EINVAL for heap, confined, closed or empty memory, and for read-only memory that the device
     *     would write; ENOMEM if the device has no free addresses; EOPNOTSUPP if it does not support DMA mappings
     */
    public DmaMapping map(MemorySegment segment, DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        return map(DmaKind.SINGLE, segment, direction, attributes(attributes), null);
    }

    /**
     * As {@link #map(MemorySegment, DmaDirection, DmaAttribute...)}, but reports ENOMEM by its result, like
     * {@code ib_dma_map_single}.
     *
     * @param segment remains allocated by the application; the device owns it until it is unmapped
     * @param direction accesses that the device may make: reads, writes or both
     * @param attributes options of the mapping; may be empty
     * @return the address, or {@link #MAPPING_ERROR} if the device has no free addresses; test it with
     *     {@link #isMappingError}
     * @throws RdmaException as {@link #map(MemorySegment, DmaDirection, DmaAttribute...)}, except ENOMEM
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
     * {@return true if nothing was mapped} The application must test every address that {@link #tryMap} returns.
     * Corresponds to {@code ib_dma_mapping_error}.
     *
     * @param address result of {@link #tryMap}
     */
    public boolean isMappingError(long address) {
        unchecked.remove(address);
        return address == MAPPING_ERROR;
    }

    /**
     * Maps a part of a page. Corresponds to {@code ib_dma_map_page}.
     *
     * @param page one page of {@link FastMemoryRegion#PAGE_BYTES}, aligned to its size
     * @param offset offset of the first byte in the page
     * @param length length in bytes; offset and length together must not exceed the page
     * @param direction accesses that the device may make: reads, writes or both
     * @return the mapping; closing it unmaps the memory
     * @throws RdmaException as {@link #map(MemorySegment, DmaDirection, DmaAttribute...)}; EINVAL if the segment is not
     *     a page or the part exceeds it
     */
    public DmaMapping mapPage(MemorySegment page, long offset, long length, DmaDirection direction) {
        state.life().checkUsable();
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
     * Maps several memory segments, all or none. Corresponds to {@code ib_dma_map_sg} and {@code ib_dma_map_sg_attrs},
     * which return 0 instead of throwing.
     *
     * @param pieces at least one segment; they remain allocated by the application
     * @param direction accesses that the device may make: reads, writes or both
     * @param attributes options of the mapping; may be empty
     * @return the mapping of all segments; closing it unmaps them
     * @throws RdmaException as {@link #map(MemorySegment, DmaDirection, DmaAttribute...)}; EINVAL for an empty list
     */
    public DmaScatterMapping map(
            List<MemorySegment> pieces, DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        return map(pieces, direction, attributes(attributes), () -> {});
    }

    /** Converts the attributes to a set; null is the empty set, as in C. */
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
     * Allocates zeroed memory that application and device can access at the same time. Corresponds to
     * {@code ib_dma_alloc_coherent}, which returns null instead of throwing.
     *
     * @param lengthBytes length in bytes, at least 1; the memory is aligned to a page
     * @return the mapping; the application uses its {@link DmaMapping#segment}, the device its
     *     {@link DmaMapping#address}, and closing it frees the memory
     * @throws RdmaException EINVAL for a length below 1; ENOMEM if there is too little memory or no free address;
     *     EOPNOTSUPP if the device does not support DMA mappings
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
        return state.life().admit(ObjectKind.DMA_MAPPING, () -> {
            DmaMapping mapping = new DmaMapping(
                    this,
                    kind,
                    segment,
                    direction,
                    attributes,
                    arena,
                    state.ops().mapDma(segment, direction, attributes));
            mappings.put(mapping.address(), mapping);
            return mapping;
        });
    }

    // By address

    /**
     * Unmaps one segment. Corresponds to {@code ib_dma_unmap_single}, {@code ib_dma_unmap_single_attrs} and
     * {@code ib_dma_unmap_page}.
     *
     * @param address address of the mapping
     * @param lengthBytes length of the mapping
     * @param direction direction of the mapping
     * @param attributes attributes of the mapping
     * @throws RdmaException EINVAL if nothing is mapped at this address or the other arguments differ from the mapping,
     *     and, if debug checks are on, for a result of {@link #tryMap} that {@link #isMappingError} has not tested;
     *     EBUSY while a memory region uses the mapping
     */
    public void unmap(long address, long lengthBytes, DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        Arguments.present("direction", direction);
        DmaMapping mapping = at(address);
        check(mapping, DmaKind.SINGLE, lengthBytes, direction, attributes(attributes));
        if (unchecked.remove(address)) {
            throw new RdmaException(Errno.EINVAL, "isMappingError was not called for " + mapping);
        }
        mapping.close();
    }

    /**
     * Unmaps a list. Corresponds to {@code ib_dma_unmap_sg} and {@code ib_dma_unmap_sg_attrs}.
     *
     * @param list result of {@code map}
     * @param count number of mapped segments
     * @param direction direction of the mapping
     * @param attributes attributes of the mapping
     * @throws RdmaException EINVAL if the list is unmapped already or the other arguments differ from the mapping;
     *     EBUSY while a memory region uses one of the segments
     */
    public void unmap(
            DmaScatterMapping list, int count, DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        state.life().checkOpen();
        Arguments.present("list", list);
        Arguments.present("direction", direction);
        DmaMapping first = list.first();
        state.checkSame(first.state(), list);
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
     * Frees coherent memory. Corresponds to {@code ib_dma_free_coherent}.
     *
     * @param lengthBytes length that was allocated
     * @param memory the memory that was returned
     * @param address the device address that was returned
     * @throws RdmaException EINVAL if the arguments do not match an allocation
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
     * Transfers mapped memory to the application; see {@link DmaMapping#syncForCpu}. Corresponds to
     * {@code ib_dma_sync_single_for_cpu}.
     *
     * @param address device address of the mapping's first byte
     * @param lengthBytes length of the mapping
     * @param direction direction of the mapping
     * @throws RdmaException EINVAL as {@link DmaMapping#syncForCpu}, and if nothing is mapped at the address or the
     *     other arguments differ from the mapping
     */
    public void syncForCpu(long address, long lengthBytes, DmaDirection direction) {
        synced(address, lengthBytes, direction).syncForCpu();
    }

    /**
     * Transfers mapped memory back to the device; see {@link DmaMapping#syncForDevice}. Corresponds to
     * {@code ib_dma_sync_single_for_device}.
     *
     * @param address device address of the mapping's first byte
     * @param lengthBytes length of the mapping
     * @param direction direction of the mapping
     * @throws RdmaException EINVAL as {@link DmaMapping#syncForDevice}, and if nothing is mapped at the address or the
     *     other arguments differ from the mapping
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
        state.life().checkOpen();
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
     * Resolves device addresses to memory.
     *
     * @param buffers each within one mapping
     * @param access access rights of the future memory region, besides local reads
     */
    private PhysicalMemory resolve(List<PhysicalBuffer> buffers, Set<AccessFlag> access) {
        boolean writes = access.stream().anyMatch(MemoryCheck.WRITING::contains);
        List<MemorySegment> pieces = new ArrayList<>();
        List<Lifecycle> used = new ArrayList<>();
        for (PhysicalBuffer buffer : buffers) {
            Map.Entry<Long, DmaMapping> entry = mappings.floorEntry(buffer.address());
            if (entry == null || !entry.getValue().holds(buffer)) {
                throw PhysicalMapper.notMapped(buffer);
            }
            DmaMapping mapping = entry.getValue();
            DmaDirection direction = mapping.direction();
            if (!direction.isReadByDevice() || writes && !direction.isWrittenByDevice()) {
                throw new RdmaException(
                        Errno.EINVAL,
                        mapping + " is mapped " + direction + ": too little for local reads and " + access);
            }
            pieces.add(mapping.slice(buffer));
            used.add(mapping.life());
        }
        return new PhysicalMemory(pieces, used);
    }

    /**
     * Creates a page list for fast registration. Corresponds to {@code ib_alloc_fast_reg_page_list}.
     *
     * @param maxPages {@code page_list_len}: maximum number of pages
     * @return the list, empty; the caller closes it before the context
     * @throws RdmaException EINVAL if {@code maxPages} is not in 1..{@code max_fast_reg_page_list_len}; EOPNOTSUPP if
     *     the device does not support fast registration
     */
    public FastRegPageList allocatePageList(int maxPages) {
        state.admission().require(DeviceCapability.MEM_MGT_EXTENSIONS);
        Arguments.range(
                "page_list_len", maxPages, 1, state.queryDevice().limit(DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN));
        return state.life().admit(ObjectKind.FAST_REG_PAGE_LIST, () -> new FastRegPageList(context, state, maxPages));
    }

    // Pinning and debugging

    /**
     * Faults memory in and pins it, page by page, so that it can be mapped for a device. Corresponds to
     * {@code get_user_pages}.
     *
     * @param segment native, open and accessible from every thread
     * @return the pages, pinned until the object is closed
     * @throws RdmaException EINVAL for heap, confined, closed or empty memory
     */
    public PinnedPages pin(MemorySegment segment) {
        Arguments.present("segment", segment);
        MemoryCheck.segment(segment);
        return state.life().admit(ObjectKind.PINNED_PAGES, () -> new PinnedPages(this, segment));
    }

    /**
     * Switches checks of the application's calls on or off; initially off. The application must not access or transfer
     * memory that the device owns. No two mappings may share memory that the device writes. Every result of
     * {@link #tryMap} must be tested. Corresponds to {@code CONFIG_DMA_API_DEBUG}.
     *
     * @param on true to switch the checks on
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
