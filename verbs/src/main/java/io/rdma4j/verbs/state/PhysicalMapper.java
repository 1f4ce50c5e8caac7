// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.PhysicalBuffer;
import java.util.List;
import java.util.Set;

/** Resolves device addresses to memory of the application. */
@FunctionalInterface
public interface PhysicalMapper {
    /** Of a context for which nothing was mapped yet. */
    PhysicalMapper NONE = (buffers, _) -> {
        if (buffers.isEmpty()) {
            return PhysicalMemory.of(List.of());
        }
        throw notMapped(buffers.getFirst());
    };

    /**
     * @param buffers each within one mapping
     * @param access access rights of the future memory region, besides local reads
     * @throws RdmaException EINVAL for addresses that are not mapped, and for rights that exceed the mapping's
     *     direction
     */
    PhysicalMemory resolve(List<PhysicalBuffer> buffers, Set<AccessFlag> access);

    /** The error for a buffer that is not within one mapping. */
    static RdmaException notMapped(PhysicalBuffer buffer) {
        return new RdmaException(Errno.EINVAL, buffer + " is not mapped by one mapping");
    }
}
