// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.spi.FastMrOps;
import io.rdma4j.verbs.state.MemoryCheck;
import io.rdma4j.verbs.state.StateAccess;
import io.rdma4j.verbs.values.MrType;
import io.rdma4j.verbs.wr.SendBatch;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A memory region that work requests register and invalidate, each time with other memory. Corresponds to the result of
 * {@code ib_alloc_mr} with {@code IB_MR_TYPE_MEM_REG}. {@link io.rdma4j.verbs.kernel.Fmr} is the older kind, which is
 * mapped by a call.
 *
 * <p>Use: {@link #map} selects the memory, and a REG_MR work request ({@link SendBatch#registerMemory}) makes it
 * accessible. LOCAL_INV or the peer's SEND with invalidate ends the access. Any thread, but the application must not
 * call {@code map} while a REG_MR request is in progress. The caller of {@link ProtectionDomain#allocateFastRegion}
 * closes the region.
 */
public final class FastMemoryRegion implements SendBatch.FastRegion, AutoCloseable {
    /** Page size in bytes, to which segments must be aligned: that of x86 and of Linux rxe. */
    public static final int PAGE_BYTES = MemoryCheck.PAGE_BYTES;

    static {
        StateAccess.setFastRegions(region -> ((FastMemoryRegion) region).life);
    }

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

    /** {@return the protection domain of the region} */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return the maximum number of mapped pages of {@link #PAGE_BYTES}} Corresponds to {@code max_num_sg}. */
    public int maxPages() {
        return maxPages;
    }

    /**
     * {@return the initial L_Key and R_Key: 32 bits} The application chooses later keys, see {@link
     * io.rdma4j.verbs.values.MemoryKeys#next}.
     */
    public int key() {
        return ops.key();
    }

    /** {@return the number of the region in work requests: 32 bits} */
    @Override
    public int handle() {
        return ops.handle();
    }

    /** {@return the address of the first byte in work requests} */
    @Override
    public long iova() {
        return mapping.iova();
    }

    /** {@return the length of the mapped memory in bytes} */
    @Override
    public long lengthBytes() {
        return mapping.lengthBytes();
    }

    /** {@return always {@link MrType#MEM_REG}} */
    public MrType type() {
        return MrType.MEM_REG;
    }

    /**
     * Selects the memory of the next registration. The segments are contiguous in the region's address space, which
     * begins at the address of the first segment. Corresponds to {@code ib_map_mr_sg}.
     *
     * @param pieces segments, owned by the application, which keeps their arenas open while they are registered. All
     *     segments but the first begin at a page boundary, and all but the last end at one.
     * @throws RdmaException EINVAL for segments with other boundaries, for more than {@link #maxPages} pages, and for
     *     heap, confined, closed or empty memory
     */
    public void map(List<MemorySegment> pieces) {
        Arguments.allPresent("pieces", pieces);
        map(pieces, pieces.isEmpty() ? 0 : pieces.getFirst().address());
    }

    /**
     * As {@link #map(List)}, with a given start address: {@code iova_start} of {@code wr.fast_reg}.
     *
     * @param pieces as for {@link #map(List)}
     * @param iova address of the first byte in work requests; has the same offset within a page as that byte
     * @throws RdmaException as {@link #map(List)}; EINVAL for an iova with another offset
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

    /** Checks a registration before the request is written to the ring. */
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
     * Destroys the region. Memory that was registered is no longer accessible. Idempotent. Corresponds to
     * {@code ib_dereg_mr}.
     *
     * @throws RdmaException EBUSY while a memory window is bound to the region
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
