// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The changes of {@link MemoryRegion#reregister}; immutable. Corresponds to the flags of {@code ibv_rereg_mr}.
 *
 * {@snippet :
 * mr.reregister(Reregistration.empty().withDomain(otherPd).withAccess(Set.of(LOCAL_WRITE)));
 * }
 *
 * @param pieces {@code IBV_REREG_MR_CHANGE_TRANSLATION}: other memory, see {@link
 *     io.rdma4j.verbs.values.MrInitAttributes}; null keeps it
 * @param iova address of its first byte in work requests; valid with {@code pieces}
 * @param domain {@code IBV_REREG_MR_CHANGE_PD}: another protection domain; null keeps it
 * @param access {@code IBV_REREG_MR_CHANGE_ACCESS}: other rights; null keeps them
 */
public record Reregistration(
        @Nullable List<MemorySegment> pieces,
        long iova,
        @Nullable ProtectionDomain domain,
        @Nullable Set<AccessFlag> access) {

    /** Copies the list and the set. */
    public Reregistration {
        pieces = pieces == null ? null : List.copyOf(pieces);
        access = access == null ? null : Set.copyOf(access);
    }

    /** {@return an empty change} */
    public static Reregistration empty() {
        return new Reregistration(null, 0, null, null);
    }

    /**
     * {@return this change with other memory, whose addresses in work requests are its own}
     *
     * @param other stays the application's
     */
    public Reregistration withSegment(MemorySegment other) {
        return withSegment(other, other.address());
    }

    /**
     * {@return this change with other memory, whose addresses in work requests begin at {@code otherIova}}
     *
     * @param other stays the application's
     * @param otherIova address of its first byte in work requests
     */
    public Reregistration withSegment(MemorySegment other, long otherIova) {
        return withPieces(List.of(other), otherIova);
    }

    /**
     * {@return this change with other memory in several segments, whose addresses in work requests begin at
     * {@code otherIova}} Corresponds to {@code ib_rereg_phys_mr}.
     *
     * @param others stay the application's
     * @param otherIova address of the first byte in work requests
     */
    public Reregistration withPieces(List<MemorySegment> others, long otherIova) {
        return new Reregistration(others, otherIova, domain, access);
    }

    /**
     * {@return this change with another protection domain}
     *
     * @param other of the same context
     */
    public Reregistration withDomain(ProtectionDomain other) {
        return new Reregistration(pieces, iova, other, access);
    }

    /**
     * {@return this change with other rights}
     *
     * @param other all rights, not only those that change
     */
    public Reregistration withAccess(Set<AccessFlag> other) {
        return new Reregistration(pieces, iova, domain, other);
    }

    boolean isEmpty() {
        return pieces == null && domain == null && access == null;
    }
}
