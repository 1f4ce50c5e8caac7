// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Checks and prepares the memory of regions. */
final class MemoryAccess {
    /** Java cannot allocate memory with huge pages. */
    private static final Set<AccessFlag> UNSUPPORTED = EnumSet.of(AccessFlag.HUGETLB);

    private MemoryAccess() {}

    /**
     * Throws for access flags that the device does not support. Loads the pages of mapped files, so that no packet
     * waits for a disk, unless the region is registered ON_DEMAND. Corresponds to {@code ib_umem_get} and
     * {@code rxe_odp_mr_init_user}.
     */
    static void prepare(MrInitAttributes attributes) {
        check(attributes.pieces(), attributes.access());
        if (!attributes.access().contains(AccessFlag.ON_DEMAND)) {
            attributes.pieces().stream().filter(MemorySegment::isMapped).forEach(MemorySegment::load);
        }
    }

    /** Corresponds to the checks of {@code rxe_reg_user_mr} and {@code rxe_mr_init_user}. */
    static void check(List<MemorySegment> pieces, Set<AccessFlag> access) {
        for (AccessFlag flag : UNSUPPORTED) {
            if (access.contains(flag)) {
                throw new RdmaException(Errno.EOPNOTSUPP, "this device registers no memory with " + flag);
            }
        }
        if (access.contains(AccessFlag.FLUSH_PERSISTENT) && !pieces.stream().allMatch(MemorySegment::isMapped)) {
            throw new RdmaException(
                    Errno.EINVAL, "FLUSH_PERSISTENT needs memory that lasts: map a file (FileChannel.map)");
        }
    }
}
