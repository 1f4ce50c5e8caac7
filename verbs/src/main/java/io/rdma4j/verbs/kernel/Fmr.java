// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.core.Uses;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.FmrOps;
import io.rdma4j.verbs.state.DomainState;
import io.rdma4j.verbs.state.MemoryCheck;
import io.rdma4j.verbs.state.PhysicalMemory;
import io.rdma4j.verbs.state.StateAccess;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.PhysicalBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fast memory region of the older kind: allocated once, then mapped to different pages by calls, which is cheaper
 * than registration. Corresponds to {@code struct ib_fmr}. The newer kind, which work requests register, is
 * {@link io.rdma4j.verbs.FastMemoryRegion}.
 *
 * <p>A region may be mapped again without being unmapped, up to {@link FmrAttributes#maxMaps} times. Each map changes
 * the key and invalidates the previous one. Any thread. The caller of {@link #allocate} closes the
 * region. An {@link FmrPool} manages several regions.
 */
public final class Fmr implements AutoCloseable {
    /** Maximum length of a page list, as in C. */
    private static final int MAX_FMR_PAGES = 1 << 20;

    private static final int MAX_PAGE_SHIFT = 62;

    private final ProtectionDomain pd;
    private final DomainState domain;
    private final FmrAttributes attributes;
    private final Set<AccessFlag> access;
    private final FmrOps ops;
    private final Lifecycle life;

    /** The {@link DmaTable} mappings that the mapped memory consists of; null if there are none. */
    private @Nullable Uses uses;

    private volatile int maps;
    private volatile long iova;
    private volatile long lengthBytes;

    private Fmr(ProtectionDomain pd, DomainState domain, FmrAttributes attributes, Set<AccessFlag> access, FmrOps ops) {
        this.pd = pd;
        this.domain = domain;
        this.attributes = attributes;
        this.access = access;
        this.ops = ops;
        this.life = new Lifecycle(String.format("%s 0x%08x", ObjectKind.FMR, ops.key()), domain.life());
    }

    /**
     * Allocates an FMR. Corresponds to {@code ib_alloc_fmr}.
     *
     * @param pd protection domain of the region
     * @param attributes maximum number of pages, page size and maximum number of maps
     * @param access rights of its keys: LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ and REMOTE_ATOMIC only
     * @return the region, not mapped; the caller closes it before the domain
     * @throws RdmaException EINVAL for no pages, for a page size that the device does not support, for more maps than
     *     {@code max_map_per_fmr}, for other or contradictory rights; EOPNOTSUPP if the device has no FMRs; ENOMEM at
     *     its limit
     */
    public static Fmr allocate(ProtectionDomain pd, FmrAttributes attributes, Set<AccessFlag> access) {
        Arguments.present("pd", pd);
        Arguments.present("attributes", attributes);
        Arguments.present("access", access);
        DomainState domain = StateAccess.ofDomain(pd);
        domain.life().checkUsable();
        domain.context().admission().require(DeviceLimit.MAX_FMR);
        DeviceAttributes device = domain.context().queryDevice();
        Arguments.range("max_pages", attributes.maxPages(), 1, MAX_FMR_PAGES);
        Arguments.range("max_maps", attributes.maxMaps(), 1, device.limit(DeviceLimit.MAX_MAP_PER_FMR));
        Arguments.range("page_shift", attributes.pageShift(), 0, MAX_PAGE_SHIFT);
        if ((device.pageSizeCapability() & attributes.pageBytes()) == 0) {
            throw new RdmaException(
                    Errno.EINVAL,
                    String.format(
                            "page_shift %d: the device has no pages of %d bytes, page_size_cap is 0x%x",
                            attributes.pageShift(), attributes.pageBytes(), device.pageSizeCapability()));
        }
        MemoryCheck.dmaRights("an FMR", access);
        MemoryCheck.access(access);
        Set<AccessFlag> rights = Set.copyOf(access);
        return domain.create(
                ObjectKind.FMR,
                DeviceLimit.MAX_FMR,
                () -> new Fmr(pd, domain, attributes, rights, domain.ops().allocateFmr(attributes, rights)));
    }

    /** {@return the protection domain of the region} */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return the limits of the region} */
    public FmrAttributes attributes() {
        return attributes;
    }

    /** {@return the access rights of the keys} */
    public Set<AccessFlag> access() {
        return access;
    }

    /**
     * {@return the key for scatter/gather elements: 32 bits, valid until the next map or unmap} Corresponds to
     * {@code lkey} of {@code struct ib_fmr}.
     */
    public int lkey() {
        return ops.key();
    }

    /**
     * {@return the key for the peer: 32 bits, valid until the next map or unmap} Corresponds to {@code rkey} of
     * {@code struct ib_fmr}.
     */
    public int rkey() {
        return ops.key();
    }

    /** {@return the number of maps since the last unmap; 0 if nothing is mapped} */
    public int mapCount() {
        return maps;
    }

    /** {@return the address of the first mapped byte in work requests} */
    public long iova() {
        return iova;
    }

    /** {@return the length of the mapped memory in bytes} */
    public long lengthBytes() {
        return lengthBytes;
    }

    /**
     * Maps pages, in place of those that were mapped before. Corresponds to {@code ib_map_phys_fmr}.
     *
     * @param pages segments of whole pages, aligned to the page size; they remain owned by the application
     * @param iova address of the first byte in work requests; a multiple of the page size
     * @throws RdmaException EINVAL for segments that are not whole pages, for more than {@code max_pages} pages, for
     *     memory that cannot be registered with the region's rights, for an invalid iova, and after {@code max_maps}
     *     maps without an unmap
     */
    public void map(List<MemorySegment> pages, long iova) {
        Arguments.allPresent("pages", pages);
        map(PhysicalMemory.of(pages), iova);
    }

    /**
     * As {@link #map(List, long)}, for device addresses as in C. The pages stay mapped for the device until this region
     * is unmapped or mapped again.
     *
     * @param pageList {@code page_list}: one address per page, of a {@link DmaMapping}
     * @param iova as for {@link #map(List, long)}
     * @throws RdmaException as {@link #map(List, long)}; EINVAL for addresses that are not mapped, or whose direction
     *     does not allow the region's rights
     */
    public void map(long[] pageList, long iova) {
        life.checkUsable();
        Arguments.present("page_list", pageList);
        List<PhysicalBuffer> pages = Arrays.stream(pageList)
                .mapToObj(address -> new PhysicalBuffer(address, attributes.pageBytes()))
                .toList();
        map(domain.context().resolve(pages, access), iova);
    }

    private synchronized void map(PhysicalMemory memory, long address) {
        life.checkUsable();
        long bytes = check(memory.pieces(), address);
        if (maps == attributes.maxMaps()) {
            throw new RdmaException(
                    Errno.EINVAL, this + " was mapped " + maps + " times, its max_maps: unmap it before the next");
        }
        Uses next = Uses.admit(
                ObjectKind.FMR,
                used -> {
                    ops.map(memory.pieces(), address);
                    return used;
                },
                memory.used());
        releaseUses();
        uses = next;
        maps++;
        iova = address;
        lengthBytes = bytes;
    }

    private long check(List<MemorySegment> pages, long address) {
        long page = attributes.pageBytes();
        long bytes = MemoryCheck.pieces(pages, Long.MAX_VALUE);
        for (MemorySegment piece : pages) {
            if (piece.address() % page != 0 || piece.byteSize() % page != 0) {
                throw new RdmaException(
                        Errno.EINVAL,
                        String.format(
                                "%d bytes at 0x%x are no pages of %d bytes", piece.byteSize(), piece.address(), page));
            }
        }
        Arguments.atMost("list_len", bytes / page, attributes.maxPages());
        MemoryCheck.access(pages, access);
        if (address % page != 0) {
            throw new RdmaException(
                    Errno.EINVAL, String.format("iova 0x%x is not a multiple of the page size %d", address, page));
        }
        MemoryCheck.iova(pages.getFirst(), bytes, address);
        return bytes;
    }

    private void releaseUses() {
        Uses before = uses;
        uses = null;
        if (before != null) {
            before.release();
        }
    }

    /**
     * Unmaps the memory, if any is mapped. All keys become invalid, and the region can be mapped {@code max_maps} times
     * again. Corresponds to {@code ib_unmap_fmr}.
     *
     * @throws RdmaException EINVAL if the region is closed
     */
    public synchronized void unmap() {
        life.checkOpen();
        if (maps > 0) {
            ops.unmap();
            maps = 0;
            lengthBytes = 0;
            releaseUses();
        }
    }

    /**
     * Unmaps several regions. Corresponds to {@code ib_unmap_fmr}, which takes a list.
     *
     * @param regions regions of any protection domains, mapped or not
     */
    public static void unmap(Collection<Fmr> regions) {
        Arguments.allPresent("regions", regions);
        regions.forEach(Fmr::unmap);
    }

    /**
     * Frees the region. Idempotent. Corresponds to {@code ib_dealloc_fmr}.
     *
     * @throws RdmaException EBUSY while memory is mapped
     */
    @Override
    public synchronized void close() {
        if (maps > 0) {
            throw new RdmaException(Errno.EBUSY, this + " shows " + lengthBytes + " bytes: unmap it first");
        }
        if (life.close(ops::close)) {
            domain.destroyed(ObjectKind.FMR, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
