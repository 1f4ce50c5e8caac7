// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Checks that memory can be used for a purpose. Its exceptions have errno EINVAL unless stated otherwise; their
 * messages name the correction.
 */
public final class MemoryCheck {
    /** Page size in bytes: that of x86 and of Linux rxe. */
    public static final int PAGE_BYTES = 4096;

    private static final long PAGE_MASK = PAGE_BYTES - 1L;

    /** A thread that is never started. It represents every thread that does not own a confined arena. */
    private static final Thread SOME_THREAD = Thread.ofPlatform().unstarted(() -> {});

    /** The rights that require writable memory. */
    public static final Set<AccessFlag> WRITING =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    /** The rights of regions whose addresses are device addresses. */
    private static final Set<AccessFlag> DMA_RIGHTS = EnumSet.of(
            AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    private MemoryCheck() {}

    /** Checks a registration as far as possible without the device. */
    public static void registration(MrInitAttributes attributes, long maxBytes) {
        refuseWholeAddressSpace(attributes);
        long bytes = pieces(attributes.pieces(), maxBytes);
        if (!attributes.access().contains(AccessFlag.ZERO_BASED)) {
            iova(attributes.pieces().getFirst(), bytes, attributes.iova());
        }
        access(attributes.pieces(), attributes.access());
    }

    /**
     * Rejects the registration of the whole address space: address 0 with the maximum length. With
     * {@link AccessFlag#ON_DEMAND} this is implicit on-demand paging, without it a mistake.
     *
     * @throws RdmaException EOPNOTSUPP for implicit on-demand paging, else EINVAL
     */
    private static void refuseWholeAddressSpace(MrInitAttributes attributes) {
        boolean whole = attributes.pieces().stream()
                .anyMatch(piece -> piece.address() == 0 && piece.byteSize() == Long.MAX_VALUE);
        if (!whole) {
            return;
        }
        if (attributes.access().contains(AccessFlag.ON_DEMAND)) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    "the whole address space cannot be registered (implicit on-demand paging): a JVM has no safe way to "
                            + "it; register segments");
        }
        throw invalid("the whole address space cannot be registered");
    }

    /**
     * Checks the segments of one region. They must be contiguous page by page, like a list of physical pages.
     *
     * @return total length in bytes
     */
    public static long pieces(List<MemorySegment> pieces, long maxBytes) {
        if (pieces.isEmpty()) {
            throw invalid("a region consists of at least one piece of memory");
        }
        long bytes = 0;
        for (int i = 0; i < pieces.size(); i++) {
            MemorySegment piece = pieces.get(i);
            segment(piece);
            if (piece.byteSize() > maxBytes - bytes) {
                throw invalid("a region of " + Long.toUnsignedString(bytes + piece.byteSize())
                        + " bytes or more: max_mr_size is " + maxBytes);
            }
            long end = piece.address() + piece.byteSize();
            boolean gapBefore = i > 0 && (piece.address() & PAGE_MASK) != 0;
            boolean gapBehind = i < pieces.size() - 1 && (end & PAGE_MASK) != 0;
            if (gapBefore || gapBehind) {
                throw invalid("piece " + i + " leaves a gap: within a list pieces meet at borders of " + (PAGE_MASK + 1)
                        + " bytes");
            }
            bytes += piece.byteSize();
        }
        return bytes;
    }

    /** Checks that the device can access the memory from its own threads. */
    public static void reachable(MemorySegment segment) {
        if (!segment.isNative()) {
            throw invalid(
                    "heap memory is out of the device's reach: allocate it from an Arena or use a direct ByteBuffer");
        }
        if (!segment.scope().isAlive()) {
            throw invalid("the arena of the segment is closed");
        }
        if (!segment.isAccessibleBy(SOME_THREAD)) {
            throw invalid("the segment is confined to one thread, the device works on others: "
                    + "use Arena.ofShared(), Arena.ofAuto() or Arena.global()");
        }
    }

    /** Checks that a segment can be registered. */
    public static void segment(MemorySegment segment) {
        reachable(segment);
        if (segment.byteSize() == 0) {
            throw invalid("a region of 0 bytes cannot be registered");
        }
    }

    /** Checks that the access rights are consistent. Corresponds to {@code ib_check_mr_access}. */
    public static void access(Set<AccessFlag> access) {
        for (AccessFlag remote : Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)) {
            if (access.contains(remote) && !access.contains(AccessFlag.LOCAL_WRITE)) {
                throw invalid(remote + " needs LOCAL_WRITE as well");
            }
        }
    }

    /** Checks that a DMA region or an FMR can have the rights. */
    public static void dmaRights(String owner, Set<AccessFlag> rights) {
        for (AccessFlag flag : rights) {
            if (!DMA_RIGHTS.contains(flag)) {
                throw invalid(flag + " is no right of " + owner + ", only " + DMA_RIGHTS);
            }
        }
    }

    /** As {@link #access(Set)}, and checks that read-only memory is not registered for writes. */
    public static void access(List<MemorySegment> pieces, Set<AccessFlag> access) {
        access(access);
        if (pieces.stream().anyMatch(MemorySegment::isReadOnly)
                && access.stream().anyMatch(WRITING::contains)) {
            throw invalid("a read-only segment cannot be registered with " + access);
        }
    }

    /**
     * Checks the start address of a region. The region must not exceed the 64-bit address space, and the address must
     * have the same offset within a page as the first byte. Linux has the same conditions.
     */
    public static void iova(MemorySegment first, long bytes, long iova) {
        if (Long.compareUnsigned(iova + (bytes - 1), iova) < 0) {
            throw invalid(String.format("%d bytes at iova 0x%x run over the end of the address space", bytes, iova));
        }
        if (((iova ^ first.address()) & PAGE_MASK) != 0) {
            throw invalid(String.format(
                    "iova 0x%x and address 0x%x must have the same offset within a page of %d bytes",
                    iova, first.address(), PAGE_MASK + 1));
        }
    }

    private static RdmaException invalid(String message) {
        return new RdmaException(Errno.EINVAL, message);
    }
}
