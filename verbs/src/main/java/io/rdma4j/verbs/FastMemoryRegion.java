package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.FastMrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A region that is registered and invalidated by work request, again and again with other memory. Answers to what
 * {@code ib_alloc_mr} makes with {@code IB_MR_TYPE_MEM_REG}. The older kind, which is mapped by call, is {@link Fmr}.
 *
 * <p>Its life: {@link #map} says which memory; a work request REG_MR ({@link SendBatch#registerMemory}) makes it accessible;
 * LOCAL_INV or the peer's SEND with invalidate ends that. Any thread may call, but the program must not map while a
 * registration is under way. The caller of {@link ProtectionDomain#allocateFastRegion} closes it.
 */
public final class FastMemoryRegion implements AutoCloseable {
    /** The page size whose borders the pieces must keep: that of x86, and rxe's. */
    public static final int PAGE_BYTES = 4096;

    private final ProtectionDomain pd;
    private final int maxPages;
    private final FastMrOps ops;
    private final Lifecycle life;

    private record Mapping(long iova, long lengthBytes, List<MemorySegment> pieces) {}

    private volatile Mapping mapping = new Mapping(0, 0, List.of());

    FastMemoryRegion(ProtectionDomain pd, int maxPages, FastMrOps ops) {
        this.pd = pd;
        this.maxPages = maxPages;
        this.ops = ops;
        this.life = new Lifecycle(String.format("%s 0x%08x", ObjectKind.FAST_MEMORY_REGION, ops.key()), pd.life());
    }

    /** {@return the protection domain it belongs to} */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return how many pages of {@link #PAGE_BYTES} can be mapped} Answers to {@code max_num_sg}. */
    public int maxPages() {
        return maxPages;
    }

    /**
     * {@return the key it had at allocation, local and remote: 32 bits; the program chooses further ones, see
     * {@link MemoryKeys#next}}
     */
    public int key() {
        return ops.key();
    }

    /** {@return what work requests name it by: 32 bits} */
    public int handle() {
        return ops.handle();
    }

    /** {@return what work requests will call its first byte} */
    public long iova() {
        return mapping.iova();
    }

    /** {@return bytes mapped} */
    public long lengthBytes() {
        return mapping.lengthBytes();
    }

    /** {@return always {@link MrType#MEM_REG}} */
    public MrType type() {
        return MrType.MEM_REG;
    }

    /**
     * Says which memory the next registration is about: the pieces follow one another in the region's address space, which
     * begins at the first one's own address. Answers to {@code ib_map_mr_sg}.
     *
     * @param pieces stay the program's; keep their arenas open while they are registered. All but the first begin and all
     *     but the last end on a page border.
     * @throws RdmaException EINVAL for pieces with other borders, for more than {@link #maxPages} pages, for heap, confined,
     *     closed or empty memory
     */
    public void map(List<MemorySegment> pieces) {
        Arguments.allPresent("pieces", pieces);
        map(pieces, pieces.isEmpty() ? 0 : pieces.getFirst().address());
    }

    /**
     * The same with an address space of its own: {@code iova_start} of {@code wr.fast_reg}.
     *
     * @param pieces as for {@link #map(List)}
     * @param iova what work requests will call the first byte; has the same offset within a page as that byte
     * @throws RdmaException as {@link #map(List)}; EINVAL for an iova that does not fit
     */
    public void map(List<MemorySegment> pieces, long iova) {
        Arguments.allPresent("pieces", pieces);
        life.checkOpen();
        List<MemorySegment> copy = List.copyOf(pieces);
        long bytes = MemoryCheck.pieces(copy, Long.MAX_VALUE);
        MemoryCheck.iova(copy.getFirst(), bytes, iova);
        long inFirstPage = copy.getFirst().address() % PAGE_BYTES;
        Arguments.atMost("number of pages", Math.ceilDiv(inFirstPage + bytes, PAGE_BYTES), maxPages);
        ops.map(copy);
        mapping = new Mapping(iova, bytes, copy);
    }

    /**
     * The same by a list of pages that are mapped for the device: {@code page_list}, {@code page_list_len}, {@code length} and
     * {@code iova_start} of {@code wr.fast_reg}. The list can be changed afterwards; the pages must stay mapped as long as the
     * region is registered.
     *
     * @param list what pages there are to choose from
     * @param pages how many of the list
     * @param iova what work requests call the first byte, which lies as far within the first page as this does
     * @param lengthBytes from there on; they end in the last page
     * @throws RdmaException as {@link #map(List)}; EINVAL for a list of another context, pages that are not in it or not mapped,
     *     and for a length that does not end in the last one
     */
    public void map(FastRegPageList list, int pages, long iova, long lengthBytes) {
        Arguments.present("list", list);
        life.checkOpen();
        pd.context().checkSame(list.context(), list);
        map(list.range(pages, iova % PAGE_BYTES, lengthBytes), iova);
    }

    /** What a post of a registration checks before the device does. */
    void check(QueuePair qp) {
        life.checkOpen();
        if (qp.protectionDomain() != pd) {
            throw new RdmaException(Errno.EINVAL, this + " and " + qp + " are of different protection domains");
        }
        if (mapping.pieces().isEmpty()) {
            throw new RdmaException(Errno.EINVAL, "nothing is mapped to " + this + " yet: call map() first");
        }
    }

    /**
     * Frees it; what was registered is not accessible any more. Idempotent. Answers to {@code ib_dereg_mr}.
     *
     * @throws RdmaException EBUSY while a memory window is bound to it
     */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            pd.destroyed(ObjectKind.FAST_MEMORY_REGION, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
