package io.rdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link MemoryRegion#reregister} changes. Answers to the flags of {@code ibv_rereg_mr}; immutable.
 *
 * {@snippet :
 * mr.reregister(Reregistration.empty().withDomain(otherPd).withAccess(Set.of(LOCAL_WRITE)));
 * }
 *
 * @param pieces {@code IBV_REREG_MR_CHANGE_TRANSLATION}: other memory, see {@link MrInitAttributes}; null keeps it
 * @param iova what work requests call its first byte; valid with {@code pieces}
 * @param domain {@code IBV_REREG_MR_CHANGE_PD}: another protection domain; null keeps it
 * @param access {@code IBV_REREG_MR_CHANGE_ACCESS}: other rights; null keeps them
 */
public record Reregistration(
        @Nullable List<MemorySegment> pieces,
        long iova,
        @Nullable ProtectionDomain domain,
        @Nullable Set<AccessFlag> access) {

    /** Copies list and set. */
    public Reregistration {
        pieces = pieces == null ? null : List.copyOf(pieces);
        access = access == null ? null : Set.copyOf(access);
    }

    /** {@return a change of nothing, to begin with} */
    public static Reregistration empty() {
        return new Reregistration(null, 0, null, null);
    }

    /**
     * {@return the same with other memory, at its own address}
     *
     * @param other stays the program's
     */
    public Reregistration withSegment(MemorySegment other) {
        return withSegment(other, other.address());
    }

    /**
     * {@return the same with other memory, at an address of its own in work requests}
     *
     * @param other stays the program's
     * @param otherIova what work requests call its first byte
     */
    public Reregistration withSegment(MemorySegment other, long otherIova) {
        return withPieces(List.of(other), otherIova);
    }

    /**
     * {@return the same with other memory in several pieces, at an address of its own in work requests} Answers to
     * {@code ib_rereg_phys_mr}.
     *
     * @param others stay the program's
     * @param otherIova what work requests call the first byte
     */
    public Reregistration withPieces(List<MemorySegment> others, long otherIova) {
        return new Reregistration(others, otherIova, domain, access);
    }

    /**
     * {@return the same with another protection domain}
     *
     * @param other of the same context
     */
    public Reregistration withDomain(ProtectionDomain other) {
        return new Reregistration(pieces, iova, other, access);
    }

    /**
     * {@return the same with other rights}
     *
     * @param other all of them, not only what changes
     */
    public Reregistration withAccess(Set<AccessFlag> other) {
        return new Reregistration(pieces, iova, domain, other);
    }

    boolean isEmpty() {
        return pieces == null && domain == null && access == null;
    }
}
