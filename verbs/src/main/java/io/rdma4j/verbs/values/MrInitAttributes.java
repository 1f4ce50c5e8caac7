// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * Attributes of a memory registration. Corresponds to {@code struct ibv_mr_init_attr}, and with several segments to the
 * arguments of {@code ib_reg_phys_mr}. Immutable.
 *
 * @param pieces segments, contiguous in the region's address space ({@code struct ib_phys_buf}); a segment may be a
 *     slice ({@link MemorySegment#asSlice(long, long)}). They remain owned by the application, which closes the region
 *     before their arenas. All segments but the first begin at a boundary of {@link
 *     io.rdma4j.verbs.FastMemoryRegion#PAGE_BYTES}, and all but the last end at one.
 * @param iova address of the first byte in work requests; has the same offset within a page as that byte. With
 *     {@link AccessFlag#ZERO_BASED} the value is replaced by 0.
 * @param access access rights
 */
public record MrInitAttributes(List<MemorySegment> pieces, long iova, Set<AccessFlag> access) {

    /** Copies list and set. */
    public MrInitAttributes {
        pieces = List.copyOf(pieces);
        access = Set.copyOf(access);
        iova = access.contains(AccessFlag.ZERO_BASED) ? 0 : iova;
    }

    /**
     * {@return attributes of one segment at its own address}
     *
     * @param segment remains owned by the application
     * @param access access rights of the keys
     */
    public static MrInitAttributes of(MemorySegment segment, Set<AccessFlag> access) {
        return new MrInitAttributes(List.of(segment), segment.address(), access);
    }

    /**
     * {@return a copy with another start address}
     *
     * @param other address of the first byte in work requests
     */
    public MrInitAttributes withIova(long other) {
        return new MrInitAttributes(pieces, other, access);
    }

    /**
     * {@return these attributes with other rights}
     *
     * @param other access rights of the keys
     */
    public MrInitAttributes withAccess(Set<AccessFlag> other) {
        return new MrInitAttributes(pieces, iova, other);
    }

    /**
     * {@return true if both have the same segments, and the same address of the first byte in work requests}
     *
     * @param other attributes that may have other rights
     */
    public boolean hasMemoryOf(MrInitAttributes other) {
        if (iova != other.iova || pieces.size() != other.pieces.size()) {
            return false;
        }
        for (int i = 0; i < pieces.size(); i++) {
            MemorySegment own = pieces.get(i);
            MemorySegment its = other.pieces.get(i);
            // Segments are equal if they begin at the same address.
            boolean same = own.equals(its) && own.byteSize() == its.byteSize();
            if (!same || !own.scope().equals(its.scope())) {
                return false;
            }
        }
        return true;
    }

    /** {@return the total length of the segments in bytes} */
    public long lengthBytes() {
        return pieces.stream().mapToLong(MemorySegment::byteSize).sum();
    }
}
