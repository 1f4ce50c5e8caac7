package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/** Whether memory may be used as asked; the refusals say how to do better, and are EINVAL if nothing else is said. */
final class MemoryCheck {
    private static final long PAGE_MASK = FastMemoryRegion.PAGE_BYTES - 1L;

    /** Never started: stands for any thread that is not the owner of a confined arena. */
    private static final Thread SOME_THREAD = Thread.ofPlatform().unstarted(() -> {});

    /** What needs memory that may be written. */
    static final Set<AccessFlag> WRITING =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    private MemoryCheck() {}

    /** All that can be told of a registration before the device looks. */
    static void registration(MrInitAttributes attributes, long maxBytes) {
        refuseWholeAddressSpace(attributes);
        long bytes = pieces(attributes.pieces(), maxBytes);
        if (!attributes.access().contains(AccessFlag.ZERO_BASED)) {
            iova(attributes.pieces().getFirst(), bytes, attributes.iova());
        }
        access(attributes.pieces(), attributes.access());
    }

    /**
     * Address 0, as long as can be, stands for all memory that there is: the implicit form of on-demand paging, and a mistake
     * without {@link AccessFlag#ON_DEMAND}.
     *
     * @throws RdmaException EOPNOTSUPP for the former
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
     * Pieces of one range follow one another page by page, as a list of physical pages does.
     *
     * @return bytes of all
     */
    static long pieces(List<MemorySegment> pieces, long maxBytes) {
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

    /** What the device needs of memory that it is to work on, from its own threads. */
    static void reachable(MemorySegment segment) {
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

    /** What can be registered. */
    static void segment(MemorySegment segment) {
        reachable(segment);
        if (segment.byteSize() == 0) {
            throw invalid("a region of 0 bytes cannot be registered");
        }
    }

    /** Answers to {@code ib_check_mr_access}. */
    static void access(Set<AccessFlag> access) {
        for (AccessFlag remote : Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)) {
            if (access.contains(remote) && !access.contains(AccessFlag.LOCAL_WRITE)) {
                throw invalid(remote + " needs LOCAL_WRITE as well");
            }
        }
    }

    /** The same for memory that perhaps must not be written. */
    static void access(List<MemorySegment> pieces, Set<AccessFlag> access) {
        access(access);
        if (pieces.stream().anyMatch(MemorySegment::isReadOnly)
                && access.stream().anyMatch(WRITING::contains)) {
            throw invalid("a read-only segment cannot be registered with " + access);
        }
    }

    /**
     * The region must not run over the end of its 64-bit address space, and must begin where its first byte lies in its page:
     * Linux refuses anything else.
     */
    static void iova(MemorySegment first, long bytes, long iova) {
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
