package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.FmrOps;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fast memory region of the older kind: made once, then mapped to other pages again and again by call, which is cheaper than
 * to register them. Answers to {@code struct ib_fmr}. The newer kind, which work requests register, is
 * {@link FastMemoryRegion}.
 *
 * <p>It may be mapped again without being unmapped, {@link FmrAttributes#maxMaps} times; each time it has another key, and the
 * former one is good for nothing. Any thread may call. The caller of {@link ProtectionDomain#allocateFmr} closes it; an
 * {@link FmrPool} keeps many of them.
 */
public final class Fmr implements AutoCloseable {
    private final ProtectionDomain pd;
    private final FmrAttributes attributes;
    private final Set<AccessFlag> access;
    private final FmrOps ops;
    private final Lifecycle life;

    /** The mappings of the {@link DmaTable} that it shows; null if none. */
    private @Nullable Uses uses;

    private volatile int maps;
    private volatile long iova;
    private volatile long lengthBytes;

    Fmr(ProtectionDomain pd, FmrAttributes attributes, Set<AccessFlag> access, FmrOps ops) {
        this.pd = pd;
        this.attributes = attributes;
        this.access = access;
        this.ops = ops;
        this.life = new Lifecycle(String.format("%s 0x%08x", ObjectKind.FMR, ops.key()), pd.life());
    }

    /** {@return the protection domain it belongs to} */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return what it is capable of} */
    public FmrAttributes attributes() {
        return attributes;
    }

    /** {@return rights that its keys give} */
    public Set<AccessFlag> access() {
        return access;
    }

    /**
     * {@return key for scatter/gather elements: 32 bits, good from one map to the next or to the unmap} Answers to
     * {@code lkey} of {@code struct ib_fmr}.
     */
    public int lkey() {
        return ops.key();
    }

    /**
     * {@return key to give to the peer: 32 bits, good from one map to the next or to the unmap} Answers to {@code rkey}
     * of {@code struct ib_fmr}.
     */
    public int rkey() {
        return ops.key();
    }

    /** {@return how often it was mapped since it was unmapped; 0 if nothing is mapped} */
    public int mapCount() {
        return maps;
    }

    /** {@return what work requests call the first byte of what is mapped} */
    public long iova() {
        return iova;
    }

    /** {@return bytes that are mapped} */
    public long lengthBytes() {
        return lengthBytes;
    }

    /**
     * Maps pages; what was mapped before is not any more. Answers to {@code ib_map_phys_fmr}.
     *
     * @param pages one piece after another, each of whole pages that begin at page borders; they stay the program's
     * @param iova what work requests call the first byte; a multiple of the page size
     * @throws RdmaException EINVAL for pieces that are no pages, more of them than {@code max_pages}, memory that cannot be
     *     registered with its rights, an iova that does not fit, and after {@code max_maps} times: unmap it then
     */
    public void map(List<MemorySegment> pages, long iova) {
        Arguments.allPresent("pages", pages);
        map(PhysicalMemory.of(pages), iova);
    }

    /**
     * The same by the device's addresses, to the letter. The pages stay mapped for the device until this is unmapped or mapped
     * again.
     *
     * @param pageList {@code page_list}: each of a page that was mapped by {@link Context#dma}
     * @param iova as above
     * @throws RdmaException as above; EINVAL for addresses that are not mapped, or in a direction that does not suffice
     */
    public void map(long[] pageList, long iova) {
        life.checkUsable();
        Arguments.present("page_list", pageList);
        List<PhysicalBuffer> pages = Arrays.stream(pageList)
                .mapToObj(address -> new PhysicalBuffer(address, attributes.pageBytes()))
                .toList();
        map(pd.context().dma().resolve(pages, access), iova);
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
     * Ends the mapping, if there is one: no key is good for the memory, and the region can be mapped {@code max_maps} times
     * again. Answers to {@code ib_unmap_fmr}.
     *
     * @throws RdmaException EINVAL if it is closed
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
     * {@link #unmap} of several. Answers to {@code ib_unmap_fmr}, which takes a list.
     *
     * @param regions of any domains, mapped or not
     */
    public static void unmap(Collection<Fmr> regions) {
        Arguments.allPresent("regions", regions);
        regions.forEach(Fmr::unmap);
    }

    /**
     * Frees it. Idempotent. Answers to {@code ib_dealloc_fmr}.
     *
     * @throws RdmaException EBUSY while something is mapped
     */
    @Override
    public synchronized void close() {
        if (maps > 0) {
            throw new RdmaException(Errno.EBUSY, this + " shows " + lengthBytes + " bytes: unmap it first");
        }
        if (life.close(ops::close)) {
            pd.destroyed(ObjectKind.FMR, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
