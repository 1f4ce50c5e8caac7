package io.rdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * How memory is to be registered. Answers to {@code struct ibv_mr_init_attr}, and with several pieces to the arguments of
 * {@code ib_reg_phys_mr}; immutable.
 *
 * @param pieces what the region consists of, one after another in its address space ({@code struct ib_phys_buf}): each a
 *     part of a segment ({@link MemorySegment#asSlice(long, long)}). They stay the program's; close the region before their
 *     arenas. All but the first begin and all but the last end on a border of {@link FastMemoryRegion#PAGE_BYTES}.
 * @param iova what work requests call the first byte; has the same offset within a page as that byte. With
 *     {@link AccessFlag#ZERO_BASED} it is 0, whatever was asked for.
 * @param access rights
 */
public record MrInitAttributes(List<MemorySegment> pieces, long iova, Set<AccessFlag> access) {

    /** Copies list and set. */
    public MrInitAttributes {
        pieces = List.copyOf(pieces);
        access = Set.copyOf(access);
        iova = access.contains(AccessFlag.ZERO_BASED) ? 0 : iova;
    }

    /**
     * {@return one piece of memory at its own address}
     *
     * @param segment stays the program's
     * @param access rights that the keys shall give
     */
    public static MrInitAttributes of(MemorySegment segment, Set<AccessFlag> access) {
        return new MrInitAttributes(List.of(segment), segment.address(), access);
    }

    /**
     * {@return the same memory with an address space of its own}
     *
     * @param other what work requests call the first byte
     */
    public MrInitAttributes withIova(long other) {
        return new MrInitAttributes(pieces, other, access);
    }

    /** The same memory with other rights. */
    MrInitAttributes withAccess(Set<AccessFlag> other) {
        return new MrInitAttributes(pieces, iova, other);
    }

    /** {@return bytes of all pieces} */
    public long lengthBytes() {
        return pieces.stream().mapToLong(MemorySegment::byteSize).sum();
    }
}
