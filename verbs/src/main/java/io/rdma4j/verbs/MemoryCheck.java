package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Whether a segment may be registered as asked; every refusal is EINVAL and says how to do better. */
final class MemoryCheck {
    /** Linux refuses an iova that lies differently within its page than the memory does; 4 KiB is what x86 and rxe use. */
    private static final long PAGE_MASK = 4096 - 1;

    /** Never started: stands for any thread that is not the owner of a confined arena. */
    private static final Thread SOME_THREAD = Thread.ofPlatform().unstarted(() -> {});

    private static final Set<AccessFlag> WRITING =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    private MemoryCheck() {}

    /** The device must be able to reach the memory from its own threads for as long as it is registered. */
    static void segment(MemorySegment segment, long maxBytes) {
        if (!segment.isNative()) {
            throw invalid("heap memory cannot be registered: allocate it from an Arena or use a direct ByteBuffer");
        }
        if (!segment.scope().isAlive()) {
            throw invalid("the arena of the segment is closed");
        }
        if (!segment.isAccessibleBy(SOME_THREAD)) {
            throw invalid("the segment is confined to one thread, the device works on others: "
                    + "use Arena.ofShared(), Arena.ofAuto() or Arena.global()");
        }
        if (segment.byteSize() == 0) {
            throw invalid("a region of 0 bytes cannot be registered");
        }
        if (segment.byteSize() > maxBytes) {
            throw invalid("a region of " + segment.byteSize() + " bytes: max_mr_size is " + maxBytes);
        }
    }

    /** Answers to {@code ib_check_mr_access}. */
    static void access(MemorySegment segment, Set<AccessFlag> access) {
        for (AccessFlag remote : Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)) {
            if (access.contains(remote) && !access.contains(AccessFlag.LOCAL_WRITE)) {
                throw invalid(remote + " needs LOCAL_WRITE as well");
            }
        }
        if (segment.isReadOnly() && access.stream().anyMatch(WRITING::contains)) {
            throw invalid("a read-only segment cannot be registered with " + access);
        }
    }

    /** The region must not run over the end of its 64-bit address space. */
    static void iova(MemorySegment segment, long iova) {
        if (Long.compareUnsigned(iova + (segment.byteSize() - 1), iova) < 0) {
            throw invalid(String.format(
                    "%d bytes at iova 0x%x run over the end of the address space", segment.byteSize(), iova));
        }
        if (((iova ^ segment.address()) & PAGE_MASK) != 0) {
            throw invalid(String.format(
                    "iova 0x%x and address 0x%x must have the same offset within a page of %d bytes",
                    iova, segment.address(), PAGE_MASK + 1));
        }
    }

    private static RdmaException invalid(String message) {
        return new RdmaException(Errno.EINVAL, message);
    }
}
